package io.github.rpcrdma4j.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class Nfs3BindingTest {
    /**
     * Goal: endpoints of version 2 offer a Reply chunk by default where a reply may be long;
     * endpoints of RFC 5666 fetch listings, and nothing else.
     */
    @ParameterizedTest
    @EnumSource(Procedure.class)
    @Tag("RPR-5.2.2-2")
    @Tag("5666-3.8-4")
    void onlyListingsMayBeFetchedAndHaveAReplyChunkByDefault(Procedure procedure) {
        var eligibility = Nfs3Binding.BINDING.eligibility(procedure.number());
        boolean lists = procedure == Procedure.READDIR || procedure == Procedure.READDIRPLUS;
        assertEquals(lists, eligibility.fetchedReplies());
        assertEquals(false, eligibility.unknownLength());
    }
}
