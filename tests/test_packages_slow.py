"""The source distribution and the wheel made from it, installed away from the checkout without the extras."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from simcore.games import GAMES

ROOT = Path(__file__).parents[1]


def call(*words: str | Path, cwd: Path, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SHIPSIM_CACHE")}
    ended = subprocess.run(
        list(map(str, words)), cwd=cwd, env={**inherited, **environment}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Build from what git would check out, so that nothing left over from elsewhere gets in."""
    folder = tmp_path_factory.mktemp("packages")
    checkout = folder / "checkout"
    checkout.mkdir()
    tracked = call("git", "ls-files", "-z", cwd=ROOT).rstrip("\0").split("\0")
    for name in tracked:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_bytes((ROOT / name).read_bytes())
    call(sys.executable, "-m", "build", "--outdir", folder, cwd=checkout)
    return [next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_packages_hold_all_data_and_only_ours(packages: list[Path]) -> None:
    with tarfile.open(packages[0]) as source, zipfile.ZipFile(packages[1]) as wheel:
        held = {name.partition("/")[2] for name in source.getnames()}, set(wheel.namelist())
    tracked = call("git", "ls-files", "simcore", "cli", "reports", cwd=ROOT).splitlines()
    for names in held:
        assert [name for name in tracked if name not in names] == []
    assert {name.split("/")[0] for name in held[1]} == {"simcore", "cli", "reports", "shipsim-0.1.0.dist-info"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", ["sdist", "wheel"])
def test_packages_run_without_the_checkout(kind: str, packages: list[Path], tmp_path: Path) -> None:
    call(sys.executable, "-m", "venv", tmp_path / "env", cwd=tmp_path)
    scripts = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    call(scripts / "python", "-m", "pip", "install", "--quiet", packages[kind == "wheel"], cwd=tmp_path)
    installed = call(scripts / "python", "-m", "pip", "list", cwd=tmp_path)
    assert "shipsim" in installed and "pytest" not in installed and "statsmodels" not in installed

    def shipsim(line: str) -> str:
        return call(scripts / "shipsim", *line.split(), cwd=tmp_path, SHIPSIM_CACHE=str(tmp_path / "cache"))

    for name in GAMES:
        assert name in shipsim("rules")
        assert '"status": "done"' in shipsim(f"simulate {name} --games 1000 --json")
        assert "players" in shipsim(f"trace {name}")
    shipsim("sweep ahoi --vary joker=swap,colour --games 2000 --out run -q")
    shipsim("report run")
    assert (tmp_path / "run/report/report.html").exists()
    shipsim("selftest")
