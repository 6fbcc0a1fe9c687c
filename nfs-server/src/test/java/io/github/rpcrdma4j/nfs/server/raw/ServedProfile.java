package io.github.rpcrdma4j.nfs.server.raw;

import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.raw.HeaderWords;
import io.github.rpcrdma4j.rpcrdma.raw.Words;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;

/** The profile of a server, and the headers by which a client of the test speaks to it. */
public enum ServedProfile {
    RFC_8166(WireProfile.RFC_8166, 1),
    /** The client speaks as RFC 8166 says. */
    RFC_5666(Rfc5666.DEFAULT, 1),
    /** The client says nothing about itself. */
    VERSION_2(new Version2Profile(), 2);

    private static final int CREDITS = 4;
    private static final int ERROR = 4;
    private static final int ERR_CHUNK = 2;

    private final WireProfile profile;
    private final int version;

    ServedProfile(WireProfile profile, int version) {
        this.profile = profile;
        this.version = version;
    }

    public WireProfile profile() {
        return profile;
    }

    /** Returns the header of a call with inline data, up to its chunk lists. */
    public Words msg(int xid) {
        return version == 1 ? HeaderWords.msg(xid, CREDITS) : Words.of(xid, 2, CREDITS, 0, 0);
    }

    /** Returns the header of a call without inline data, up to its chunk lists. */
    public Words noMsg(int xid) {
        return version == 1 ? HeaderWords.noMsg(xid, CREDITS) : Words.of(xid, 2, CREDITS, 1, 0);
    }

    /**
     * Requires a reply with inline data.
     *
     * @param message what is behind the XID
     */
    public void requireReply(int xid, Words lists, Words message, Words reply) {
        header(xid, 0, reply).and(lists).word(xid).and(message).requireSame(reply);
    }

    /** Requires a reply without inline data. */
    public void requireLongReply(int xid, Words lists, Words reply) {
        header(xid, 1, reply).and(lists).requireSame(reply);
    }

    private Words header(int xid, int procedure, Words reply) {
        var header = Words.of(xid, version, reply.at(2), procedure);
        return version == 1 ? header : header.word(1);
    }

    /** Requires ERR_CHUNK, or BAD_HEADER of version 2, which has the same number. */
    public void requireChunkError(int xid, Words reply) {
        Words.of(xid, version, reply.at(2), ERROR, ERR_CHUNK).requireSame(reply);
    }
}
