"""What is known of context and cost when only a part of it is told."""

from __future__ import annotations

from tests.session.building import session_with


def test_c74_r39_usage_that_is_odd_is_taken_as_far_as_it_goes() -> None:
    cost = {"amount": 0.5, "currency": "USD"}
    session = session_with(
        {"sessionUpdate": "usage_update", "used": 900, "size": 0},
        {"sessionUpdate": "usage_update", "used": None, "size": 10, "cost": cost},
        {"sessionUpdate": "usage_update", "used": 900, "size": 100},
    )

    usage = session.usage
    assert usage is not None
    assert usage.cost is not None
    assert (usage.used, usage.size, usage.cost.amount) == (900, 100, 0.5)
