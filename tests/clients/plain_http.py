"""Plain HTTP requests, as programs without an SDK send them."""

import urllib.error
import urllib.request


def put(url, body, headers):
    """Returns the status of a PUT."""
    request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            error.read()
            return error.code
