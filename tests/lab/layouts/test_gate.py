"""The gate to the network lets connections to public addresses through, and no others."""

import socket
import struct
import threading
from contextlib import contextmanager

import pytest

from lab.layouts.gate import Gate, is_public


@pytest.mark.parametrize("address", ["8.8.8.8", "93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"])
def test_public_addresses(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1",
        "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_other_addresses(address):
    assert not is_public(address)


@contextmanager
def echo():
    """Serve one connection that answers in capitals; give its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                while data := connection.recv(1 << 16):
                    connection.sendall(data.upper())

        threading.Thread(target=answer, daemon=True).start()
        yield server.getsockname()[1]


def asked(gate, address, port, command=1):
    """Ask for a connection; give the answer's code."""
    client = socket.create_connection(("127.0.0.1", gate.port), timeout=10)
    client.sendall(b"\x05\x01\x00")
    assert client.recv(2) == b"\x05\x00"
    client.sendall(bytes([5, command, 0]) + address + struct.pack("!H", port))
    answer = client.recv(10)
    return answer[1], client


HERE = {
    "ipv4": b"\x01" + bytes([127, 0, 0, 1]),
    "name": b"\x03\x09localhost",
    "number": b"\x03\x0a2130706433",
    "mapped": b"\x04" + bytes(10) + b"\xff\xff" + bytes([127, 0, 0, 1]),
}


@pytest.mark.parametrize("kind", HERE)
def test_this_machine_is_refused_unless_it_is_allowed(kind):
    with echo() as port:
        with Gate() as gate:
            code, client = asked(gate, HERE[kind], port)
            client.close()
            assert code == 2
        with Gate(lambda _: True) as gate:
            code, client = asked(gate, HERE[kind], port)
            if kind == "mapped" and code == 4:
                pytest.skip("no IPv6 here")
            assert code == 0
            with client:
                for number in range(3):
                    said = b"hello %d " % number + b"x" * 70_000
                    client.sendall(said)
                    heard = b""
                    while len(heard) < len(said):
                        heard += client.recv(1 << 16)
                    assert heard == said.upper()


def test_broken_requests_end_quietly(capfd):
    with Gate() as gate:
        for data in (
            b"",
            b"GET / HTTP/1.1\r\n\r\n",
            b"\x05",
            b"\x05\x01\x00\x05\x01\x00\x09",
            b"\x04\x01\x00",
        ):
            client = socket.create_connection(("127.0.0.1", gate.port), timeout=10)
            client.sendall(data)
            client.close()
        assert asked(gate, HERE["ipv4"], 80, command=2)[0] == 7
        assert asked(gate, b"\x03\x0fnowhere.invalid", 80)[0] == 4
    assert capfd.readouterr().err == ""
