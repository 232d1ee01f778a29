"""nginx in front of a server, with the configuration in docs/operations.md."""

from __future__ import annotations

import datetime
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from support.paths import ROOT
from support.postgres import PATIENT, free_port

NAME = "felt.example"
PAGE = ROOT / "docs" / "operations.md"
AROUND = """
daemon off;
error_log {folder}/error.log warn;
pid {folder}/nginx.pid;
{user}
worker_processes 2;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{documented}
}}
"""


def program() -> str:
    """nginx; Debian puts it where only the administrator looks."""
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert found, "nginx is not installed; `make nginx` installs it where it may (Debian: apt-get install nginx-light)"
    return found


def documented() -> str:
    """The configuration as the page gives it."""
    (found,) = [
        text for text in re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(), re.M | re.S) if "proxy_pass" in text
    ]
    return str(found)


def certify(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody has signed, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "felt.pem", folder / "felt.key"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    kind, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, kind, plain))
    return files


class Nginx:
    """nginx on loopback. Only places are put in for those of the documented text: ports, and the certificate's files."""

    def __init__(self, folder: Path, server_port: int) -> None:
        self.folder, self.port = folder, free_port()
        self.certificate, key = certify(folder)
        text = documented()
        for written, here in (
            ("listen 443 ", f"listen 127.0.0.1:{self.port} "),
            ("server 127.0.0.1:8000;", f"server 127.0.0.1:{server_port};"),
            ("/etc/ssl/felt.example.pem", str(self.certificate)),
            ("/etc/ssl/felt.example.key", str(key)),
        ):
            assert text.count(written) == 1, f"the page does not say: {written}"
            text = text.replace(written, here)
        user = "user root;" if os.geteuid() == 0 else ""
        self.configuration = folder / "nginx.conf"
        self.configuration.write_text(AROUND.format(folder=folder, user=user, documented=text))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Nginx:
        with (self.folder / "nginx.out").open("ab") as out:
            self._process = subprocess.Popen(
                [
                    program(),
                    "-p",
                    str(self.folder),
                    "-e",
                    str(self.folder / "error.log"),
                    "-c",
                    str(self.configuration),
                ],
                stdout=out,
                stderr=out,
            )
        until = time.monotonic() + PATIENT
        while time.monotonic() < until:
            assert self._process.poll() is None, (self.folder / "error.log").read_text() + (
                self.folder / "nginx.out"
            ).read_text()
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=5):
                return self
            time.sleep(0.05)
        raise AssertionError(f"nginx did not start in {PATIENT:g} seconds")

    def __exit__(self, *error: object) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENT)
