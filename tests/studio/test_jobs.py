"""Work in a thread, with progress and an end."""

from __future__ import annotations

import threading

from tallystick.errors import OptionError
from tallystick.studio.folder import Job


def ran(work):
    told = []
    job = Job("work", work, lambda job, problem: told.append(problem)).start()
    job.thread.join()
    return job, told


def test_progress_is_told_and_the_end_is_reported():
    job, told = ran(lambda job: job.step(3, 7))
    assert (job.told["done"], job.told["total"], told) == (3, 7, [""])


def test_a_cancelled_job_ends_at_its_next_step_and_reports_nothing():
    begun, go, after = threading.Event(), threading.Event(), []

    def work(job):
        begun.set()
        go.wait()
        job.step(1, 2)
        after.append("went on")

    told = []
    job = Job("work", work, lambda job, problem: told.append(problem)).start()
    begun.wait()
    job.cancel()
    go.set()
    job.thread.join()
    assert (told, after) == ([], [])


def test_a_failure_is_one_line(capsys):
    def refused(job):
        raise OptionError("this cannot be. Do that.")

    def broken(job):
        raise ZeroDivisionError

    assert ran(refused)[1] == ["this cannot be. Do that."]
    assert "went wrong" in ran(broken)[1][0]
    assert "ZeroDivisionError" in capsys.readouterr().err
