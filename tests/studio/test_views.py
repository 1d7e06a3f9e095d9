"""Parts of the page: escaped, and made of files that are there."""

from __future__ import annotations

import re

import pytest

from tallystick.studio import session as views
from tallystick.studio.session import TableWishes, columns_part, read


def test_the_page_asks_for_files_that_there_are_and_for_no_others():
    page = views.page()
    asked = re.findall(r'(?:href|src)="(/assets/[^"]+)"', page)
    assert len(asked) == 4
    for path in asked:
        assert views.file(path.removeprefix("/assets/")) is not None
    assert "http" not in re.sub(r"<a [^>]+>", "", page)
    assert not re.findall(r"<script>|style=| on\w+=", page)
    assert views.file("../app.py") is None
    for name in views.SCRIPTS:
        content, kind = views.file(name)
        assert kind.startswith(b"text/javascript")
        assert not re.findall(rb"eval\(|https?://(?!www\.w3\.org)", content)


@pytest.mark.parametrize(
    "evil", ["<script>x</script>", '"><img src=x onerror=1>', "{{ 7*7 }}", "</select><b>"]
)
def test_names_of_columns_and_levels_stay_text(tmp_path, evil):
    cell = '"' + evil.replace('"', '""') + '"'
    path = tmp_path / "evil.csv"
    path.write_text(f"{cell},y\n" + f"{cell},a\nother,b\n" * 20)
    html = views.columns_html(columns_part(read(TableWishes("evil.csv", path, "y"))))
    assert evil not in html or evil == "{{ 7*7 }}"
    assert "49" not in html
    assert "<script" not in html
    assert "<img" not in html
