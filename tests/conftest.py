"""Settings for all tests: none depends on the speed of the machine or on luck.

The test command tries the same examples of every law each time; `make night` searches at random, and more.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("day", deadline=None, derandomize=True, database=None)
settings.register_profile("night", deadline=None, derandomize=False, max_examples=5000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "day"))


# Tests that start programs, browsers and databases, or learn many models: `make fast` leaves them out.
SLOW = {
    "test_bad_inputs",
    "test_bayes",
    "test_naive_bayes",
    "test_words",
    "test_encode",
    "test_description",
    "test_tree_levels",
    "test_tree_prune",
    "test_files",
    "test_bad_inputs_more",
    "test_cli",
    "test_cli_rows",
    "test_cli_whole",
    "test_compare",
    "test_containers",
    "test_damage",
    "test_export",
    "test_export_code",
    "test_export_js",
    "test_export_sql",
    "test_faults",
    "test_hardening",
    "test_hostile",
    "test_judging",
    "test_judge_tables",
    "test_logistic",
    "test_logistic_law",
    "test_logistic_sklearn",
    "test_naive_bayes_sklearn",
    "test_pictures",
    "test_predict_memory",
    "test_processors",
    "test_published",
    "test_report",
    "test_report_page",
    "test_scores",
    "test_tree_explain",
    "test_tree_sklearn",
    "test_published_trees",
    "test_against",
    "test_interrupts",
    "test_spark",
    "test_spark_cluster",
    "test_spark_answers",
    "test_disk",
    "test_saved",
    "test_costs",
    "test_weights",
}


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.stem in SLOW:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def spark():
    """One session of Spark for all tests of this process that need one."""
    pytest.importorskip("pyspark")
    from databases import spark_session

    session = spark_session()
    yield session
    session.stop()
