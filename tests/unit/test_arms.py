"""The A/A arm: one cell in four of every workload, drawn by the seed."""

from collections import Counter

from assay.analyse import arms

GROUPS = ["draw"] * 17 + ["open"] + ["select"] * 8


def test_one_cell_in_four_of_each_group_and_at_least_one() -> None:
    chosen = Counter(GROUPS[place] for place in arms.doubled(GROUPS, seed=1))
    assert chosen == {"draw": 5, "open": 1, "select": 2}


def test_the_seed_decides_which() -> None:
    assert arms.doubled(GROUPS, seed=1) == arms.doubled(GROUPS, seed=1)
    assert len({frozenset(arms.doubled(GROUPS, seed)) for seed in range(10)}) == 10


def test_over_many_seeds_every_cell_of_a_group_has_its_turn() -> None:
    turns = Counter(place for seed in range(400) for place in arms.doubled(GROUPS, seed))
    draws = [turns[place] for place in range(17)]
    assert min(draws) > 0.6 * 400 * 5 / 17 and max(draws) < 1.4 * 400 * 5 / 17


def test_another_group_changes_nothing_for_the_rest() -> None:
    assert arms.doubled(GROUPS, 1) == {p - 2 for p in arms.doubled(["x", "x", *GROUPS], 1)} - {
        -1,
        -2,
    }


def test_a_session_of_few_cells_draws_six_of_them() -> None:
    assert len(arms.doubled(["draw"] * 9, 1)) == 6
    assert arms.doubled(["draw"] * 4, 1) == {0, 1, 2, 3}
    assert len(arms.doubled(["draw"] * 9, 1, least=0)) == 3
