"""Create the folder of a ledger or of another file that urlset keeps beside a site."""

from __future__ import annotations

from pathlib import Path

from urlset.errors import StoreError
from urlset.option_schema import LEDGER
from urlset.temp_files import expect_no_outside_link


def create_ledger_folder(path: Path) -> None:
    """Create the folder of a ledger; a ``.urlset`` folder is excluded from version control.

    Raises:
        urlset.StoreError: The folder cannot be created, or a ``.urlset`` is a link to outside of
            its parent folder.
    """
    try:
        _create_folder(path.parent)
    except (FileExistsError, NotADirectoryError) as error:
        place = next(each for each in path.parents if each.exists())
        raise StoreError(
            f"cannot write {str(path)!r}: its folder {str(place)!r} is a file; name another one"
        ) from error
    except OSError as error:
        is_denied = isinstance(error, PermissionError)
        advice = "change the permissions" if is_denied else "create the folder"
        raise StoreError(
            f"cannot write {str(path)!r}: its folder cannot be created: {error.strerror}; "
            f"{advice}, or name another file"
        ) from error


def _create_folder(folder: Path) -> None:
    if folder.name == LEDGER.parent.name:
        expect_no_outside_link(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    if is_new and folder.name == LEDGER.parent.name:
        # A ledger changes with every build. To have it in version control, change this file.
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
