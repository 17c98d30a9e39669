import pytest

pytest.register_assert_rewrite("tests.agent.puppet", "tests.sent")
