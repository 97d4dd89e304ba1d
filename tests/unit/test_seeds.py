import hashlib

from hypothesis import given
from hypothesis import strategies as st

from pairedeval.seeds import derive_seed, digest


def test_a_seed_is_the_head_of_a_sha256():
    expected = hashlib.sha256(b"20260908\x1fsyn\x1ffog\x1f2\x1fdigit-0001").digest()[:4]
    assert derive_seed(20260908, "syn", "fog", 2, "digit-0001") == int.from_bytes(expected)


@given(st.lists(st.text("ab"), min_size=1, max_size=4), st.lists(st.text("ab"), min_size=1, max_size=4))
def test_only_equal_parts_have_equal_digests(first, second):
    assert (digest(*first) == digest(*second)) == (first == second)


@given(st.integers(), st.integers(1, 256))
def test_a_seed_has_the_bits_that_were_asked_for(part, bits):
    assert 0 <= derive_seed(part, bits=bits) < 2**bits
