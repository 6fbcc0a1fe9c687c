package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.NfsVersion;

/** Goal and method: those of {@link UnansweredClaims}, without sessions. */
class UnansweredClaims40Test extends UnansweredClaims {
    UnansweredClaims40Test() {
        super(NfsVersion.VERSION_4_0);
    }
}
