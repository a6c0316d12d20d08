"""Downloads of a large file during deployments, each verified as CloudFront would."""

import base64
import re
import subprocess
import threading
import time
from urllib.parse import parse_qs, urlsplit

from deployment.ministack.cloud import STACK, Miss, expect

PAUSE_SECONDS = 0.05
# A download follows each change within this time.
REPEAT_SECONDS = 30


class Downloads:
    """Downloads a file on a thread, until it is left. A redirect to the distribution counts as a failure unless the distribution trusts its key at
    that moment, and the signature is right: MiniStack itself verifies none."""

    def __init__(self, cloud, url):
        self.cloud = cloud
        self.url = url
        # Numbers of the parameters of public keys, by their id.
        self.ids = {}
        # Ids of the keys of successive downloads; None is a redirect to S3.
        self.keys = []
        self.failure = None
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join()
        expect(not self.failure, f"download {len(self.keys) + 1}, after keys {self.signers()}: {self.failure}")

    def run(self):
        while not self.stopped.is_set() and not self.failure:
            try:
                self.keys.append(self.download())
            except Exception as failure:
                self.failure = f"{type(failure).__name__}: {failure}"
            self.stopped.wait(PAUSE_SECONDS)

    def signers(self):
        """Returns the ids of the keys that have signed, in the order of their first use."""
        return list(dict.fromkeys(key for key in self.keys if key))

    def repeat(self):
        """Waits for another download."""
        count = len(self.keys)
        deadline = time.monotonic() + REPEAT_SECONDS
        while len(self.keys) < count + 2 and not self.failure:
            expect(time.monotonic() < deadline, "no further download")
            time.sleep(PAUSE_SECONDS)

    def download(self):
        """Returns the id of the key that has signed the URL of the download."""
        redirect = curl("-o", "/dev/null", "-w", "%{http_code} %{redirect_url}", self.url)
        status, _, location = redirect.partition(" ")
        expect(status == "307", f"status {status} in place of a redirect")
        curl("-f", "-o", "/dev/null", location)
        if "/_objects/" not in location or "Key-Pair-Id" not in location:
            return None
        return self.verified(location)

    def verified(self, url):
        query = parse_qs(urlsplit(url).query)
        [key] = query["Key-Pair-Id"]
        cloudfront = self.cloud.client("cloudfront")
        distribution = self.cloud.resources(STACK)["Cdn"]
        behaviors = cloudfront.get_distribution_config(Id=distribution)["DistributionConfig"]["CacheBehaviors"]["Items"]
        groups = [group for each in behaviors for group in each["TrustedKeyGroups"]["Items"]]
        trusted = [item for group in groups for item in cloudfront.get_key_group_config(Id=group)["KeyGroupConfig"]["Items"]]
        expect(key in trusted, f"the key {key} has signed, and the distribution trusts {trusted}")

        config = cloudfront.get_public_key_config(Id=key)["PublicKeyConfig"]
        self.ids[key] = config["Name"][-1]
        signed = url.partition("&Expires=")[0]
        policy = '{"Statement":[{"Resource":"%s","Condition":{"DateLessThan":{"AWS:EpochTime":%s}}}]}' % (signed, query["Expires"][0])
        verify(policy, query["Signature"][0], config["EncodedKey"], self.cloud.directory)
        return key


def curl(*arguments):
    done = subprocess.run(["curl", "-sS", *arguments], capture_output=True, text=True, timeout=60)
    expect(done.returncode == 0, f"{re.sub('Signature=[^&]*', 'Signature=…', ' '.join(arguments))}: {done.stderr.strip()}")
    return done.stdout


def verify(policy, signature, public_key, directory):
    """Verifies a signature in the base64 of CloudFront with OpenSSL."""
    files = {"policy": policy.encode(), "key": public_key.encode(), "signature": base64.b64decode(signature.translate(str.maketrans("-_~", "+=/")))}
    for name, content in files.items():
        (directory / f"verified-{name}").write_bytes(content)
    paths = [directory / f"verified-{name}" for name in ("key", "signature", "policy")]
    done = subprocess.run(["openssl", "dgst", "-sha256", "-verify", paths[0], "-signature", paths[1], paths[2]], capture_output=True, text=True)
    if done.returncode != 0:
        raise Miss(f"the signature is invalid: {done.stdout.strip()}")
