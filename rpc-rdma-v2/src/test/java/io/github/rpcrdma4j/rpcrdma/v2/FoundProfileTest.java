package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import org.junit.jupiter.api.Test;

/** Goal: a user finds the profile by its name. */
class FoundProfileTest {
    @Test
    void isFoundByItsName() {
        assertInstanceOf(Version2Profile.class, WireProfile.find("version 2").orElseThrow());
    }
}
