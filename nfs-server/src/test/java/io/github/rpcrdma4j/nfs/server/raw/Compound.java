package io.github.rpcrdma4j.nfs.server.raw;

import io.github.rpcrdma4j.rpcrdma.raw.Words;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** COMPOUNDs of NFS version 4 (RFC 7530 and 8881), word by word. */
public final class Compound {
    public static final int OK = 0;
    public static final int ERR_IO = 5;
    public static final int ERR_OPENMODE = 10038;

    private static final int CREATE = 6;
    private static final int GETATTR = 9;
    private static final int PUTFH = 22;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int WRITE = 38;

    /** A number that no operation has. */
    public static final int UNKNOWN = 9999;

    private static final int LOOKUP = 15;
    private static final int PUTROOTFH = 24;
    private static final int RESTOREFH = 31;
    private static final int SAVEFH = 32;

    private static final int NF4DIR = 2;
    private static final int NF4LNK = 5;
    private static final Words AUTH_NONE = Words.of(0, 0);

    /** The anonymous stateid (RFC 7530, Section 9.1.4.3). */
    private static final Words STATEID = Words.of(0, 0, 0, 0);

    private Compound() {}

    /** Returns bytes that differ for each seed. */
    public static byte[] data(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /**
     * A call in progress: its bytes, the bytes without what moves apart, and where that begins.
     *
     * @param positions the XDR positions of the data that moves apart
     */
    public record Call(
            int minorVersion, int count, Words whole, Words reduced, List<Integer> positions) {
        public Call putFileHandle(int length) {
            return inline(Words.of(PUTFH).opaque(data(length, 7)));
        }

        public Call putRoot() {
            return inline(Words.of(PUTROOTFH));
        }

        public Call lookUp(String name) {
            return inline(Words.of(LOOKUP).opaque(ascii(name)));
        }

        public Call save() {
            return inline(Words.of(SAVEFH));
        }

        public Call restore() {
            return inline(Words.of(RESTOREFH));
        }

        public Call makeDirectory(String name) {
            return inline(Words.of(CREATE, NF4DIR).opaque(ascii(name)).word(0, 0));
        }

        public Call read(int count) {
            return read(0, count);
        }

        public Call read(long offset, int count) {
            return inline(Words.of(READ).and(STATEID).twoWords(offset).word(count));
        }

        public Call readLink() {
            return inline(Words.of(READLINK));
        }

        public Call getAttributes() {
            return inline(Words.of(GETATTR, 1, 0x18));
        }

        public Call unknown() {
            return inline(Words.of(UNKNOWN));
        }

        public Call write(byte[] data) {
            return inline(writeOf(data.length).and(padded(data)));
        }

        /** Adds a WRITE whose data moves apart. */
        public Call writeApart(byte[] data) {
            return apart(writeOf(data.length), data, Words.NONE);
        }

        private static Words writeOf(int length) {
            return Words.of(WRITE).and(STATEID).twoWords(0).word(2, length);
        }

        /** Adds a CREATE of a symbolic link whose text moves apart. */
        public Call linkApart(byte[] text) {
            return linkApart("name", text);
        }

        public Call linkApart(String name, byte[] text) {
            // The name, and no attributes: an empty bitmap and an empty list.
            var tail = Words.NONE.opaque(ascii(name)).word(0, 0);
            return apart(Words.of(CREATE, NF4LNK, text.length), text, tail);
        }

        /** Adds an operation. */
        public Call inline(Words operation) {
            return new Call(
                    minorVersion,
                    count + 1,
                    whole.and(operation),
                    reduced.and(operation),
                    positions);
        }

        private Call apart(Words head, byte[] data, Words tail) {
            var more = new ArrayList<>(positions);
            more.add(message(0, 0).length() + whole.and(head).length());
            return new Call(
                    minorVersion,
                    count + 1,
                    whole.and(head).and(padded(data)).and(tail),
                    reduced.and(head).and(tail),
                    List.copyOf(more));
        }

        /** Returns the call message as a server of TCP gets it. */
        public Words message(int xid) {
            return message(xid, count).and(whole);
        }

        /** Returns the call message without what moves apart. */
        public Words reduced(int xid) {
            return message(xid, count).and(reduced);
        }

        private Words message(int xid, int operations) {
            return message(xid, AUTH_NONE, operations);
        }

        private Words message(int xid, Words credential, int operations) {
            return Words.of(xid, 0, 2, 100003, 4, 1)
                    .and(credential)
                    .and(AUTH_NONE)
                    .word(0, minorVersion, operations);
        }

        /** Returns the call message with a credential of RPCSEC_GSS, whose service is integrity. */
        public Words withIntegrity(int xid) {
            // Version 1, data, sequence number 1, the service, a handle of one word.
            var body = Words.of(1, 0, 1, 2).opaque(new byte[4]);
            return message(xid, Words.of(6).opaque(body.bytes()), count).and(whole);
        }
    }

    /** Begins a call of minor version 1. */
    public static Call call() {
        return call(1);
    }

    /** Begins a call. */
    public static Call call(int minorVersion) {
        return new Call(minorVersion, 0, Words.NONE, Words.NONE, List.of());
    }

    private static Words padded(byte[] data) {
        return new Words(Arrays.copyOf(data, (data.length + 3) & ~3));
    }

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the reply to a COMPOUND without its XID. */
    public static Words reply(int status, Words... operations) {
        var all = Words.of(1, 0, 0, 0, 0, status, 0, operations.length);
        for (var operation : operations) {
            all = all.and(operation);
        }
        return all;
    }

    /** Returns the results of an operation that has none but its status. */
    public static Words done(int operation) {
        return Words.of(operation, OK);
    }

    public static Words rootWasPut() {
        return done(PUTROOTFH);
    }

    public static Words wasFound() {
        return done(LOOKUP);
    }

    public static Words wasSaved() {
        return done(SAVEFH);
    }

    public static Words wasRestored() {
        return done(RESTOREFH);
    }

    public static Words filehandleWasPut() {
        return Words.of(PUTFH, OK);
    }

    public static Words attributes() {
        return Words.of(GETATTR, OK, 1, 0x18).opaque(new byte[16]);
    }

    public static Words wasRead(byte[] data) {
        return wasRead(data, false);
    }

    public static Words wasRead(byte[] data, boolean isEnd) {
        return Words.of(READ, OK, isEnd ? 1 : 0).opaque(data);
    }

    /** Returns the results of a READ whose data is in a Write chunk. */
    public static Words wasReadApart(int length) {
        return Words.of(READ, OK, 0, length);
    }

    public static Words readFailed(int status) {
        return Words.of(READ, status);
    }

    public static Words link(byte[] text) {
        return Words.of(READLINK, OK).opaque(text);
    }

    /** Returns the results of a READLINK whose text is in a Write chunk. */
    public static Words linkApart(int length) {
        return Words.of(READLINK, OK, length);
    }

    public static Words wasWritten(int count) {
        return Words.of(WRITE, OK, count, 2).twoWords(0x0102030405060708L);
    }

    public static Words wasCreated() {
        return Words.of(CREATE, OK, 1).twoWords(1).twoWords(2).word(0);
    }
}
