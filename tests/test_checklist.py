"""Every numbered line of the checklist has a test that says so in its name."""

from __future__ import annotations

from tests.checklist import DEVIATIONS, FIELD, OBLIGATIONS, VERSION_2, WITHOUT, line_tests, lines, table


def test_c116_every_line_has_a_test() -> None:
    assert [len(each) for each in (OBLIGATIONS, DEVIATIONS, FIELD, VERSION_2)] == [158, 55, 42, 20]

    tested = line_tests()
    assert [line for line in lines() if line not in tested and line not in WITHOUT] == []


def test_no_test_is_about_a_line_that_does_not_exist() -> None:
    assert set(line_tests()) <= set(lines())


def test_the_table_shows_each_line_with_its_tests() -> None:
    assert "C116  every deviation has a test\n        test_checklist.py::test_c116_every" in table()
