package io.github.rpcrdma4j.rpcrdma.rfc5666;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import org.junit.jupiter.api.Test;

/** Goal: a user finds the profile by its name. */
class FoundProfileTest {
    @Test
    void isFoundByItsName() {
        assertInstanceOf(Rfc5666.class, WireProfile.find("RFC 5666").orElseThrow());
    }
}
