package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsVersion;

/** Goal and method: those of {@link UnansweredClaims}, in a session. */
class UnansweredClaimsTest extends UnansweredClaims {
    UnansweredClaimsTest() {
        super(NfsVersion.VERSION_4_2);
    }
}
