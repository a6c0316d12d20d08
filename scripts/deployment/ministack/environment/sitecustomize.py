"""HTTP clients of Python connect to MiniStack for any host: Python runs this file at its start, from PYTHONPATH."""

import os
import socket

connect = socket.create_connection
ADDRESS = ("127.0.0.1", int(os.environ["MINISTACK_PORT"]))
socket.create_connection = lambda _address, *options, **named: connect(ADDRESS, *options, **named)
