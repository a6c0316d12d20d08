"""Generates a Python client from openapi.json, and lists files of a running stack with it."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The program is installed beside the interpreter.
GENERATOR = pathlib.Path(sys.executable).with_name("openapi-python-client")


def generate(directory):
    """Generates the package `larder_client`. Fails if a schema is left out."""
    command = [GENERATOR, "generate", "--meta", "none", "--path", ROOT / "openapi.json", "--output-path", directory / "larder_client"]
    generated = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "WARNING" not in generated.stdout, generated.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        generate(directory)
        sys.path.insert(0, name)

        from larder_client import AuthenticatedClient
        from larder_client.api.files import list_files
        from larder_client.api.spaces import list_spaces
        from larder_client.models import FileRecordPage

        client = AuthenticatedClient(base_url=os.environ["LARDER_API_URL"], token=os.environ["LARDER_API_KEY"])
        space = list_spaces.sync(client=client).data[0]
        page = list_files.sync(client=client, space_id=space.id, limit=1)
        assert isinstance(page, FileRecordPage), page
        assert [file.original_name for file in page.data] == ["photo.jpg"], page
        assert page.data[0].status.value == "active", page
        assert page.next_cursor is None, page


main()
