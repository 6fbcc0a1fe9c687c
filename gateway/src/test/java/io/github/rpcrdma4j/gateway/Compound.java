package io.github.rpcrdma4j.gateway;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** COMPOUNDs of NFS version 4 (RFC 7530 and 8881), word by word. */
final class Compound {
    static final int OK = 0;
    static final int ERR_IO = 5;
    static final int ERR_OPENMODE = 10038;

    private static final int CREATE = 6;
    private static final int GETATTR = 9;
    private static final int PUTFH = 22;
    private static final int READ = 25;
    private static final int READLINK = 27;
    private static final int WRITE = 38;

    /** A number that no operation has. */
    static final int UNKNOWN = 9999;

    private static final int NF4LNK = 5;
    private static final Words AUTH_NONE = Words.of(0, 0);
    private static final Words STATEID = Words.of(1, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa);

    private Compound() {}

    /** Returns bytes that differ for each seed. */
    static byte[] data(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /**
     * A call in progress: its bytes, the bytes without what moves apart, and where that begins.
     *
     * @param positions the XDR positions of the data that moves apart
     */
    record Call(int count, Words whole, Words reduced, List<Integer> positions) {
        Call putFileHandle(int length) {
            return inline(Words.of(PUTFH).opaque(data(length, 7)));
        }

        Call read(int count) {
            return inline(Words.of(READ).and(STATEID).twoWords(0).word(count));
        }

        Call readLink() {
            return inline(Words.of(READLINK));
        }

        Call getAttributes() {
            return inline(Words.of(GETATTR, 1, 0x18));
        }

        Call unknown() {
            return inline(Words.of(UNKNOWN));
        }

        Call write(byte[] data) {
            return inline(writeOf(data.length).and(padded(data)));
        }

        /** Adds a WRITE whose data moves apart. */
        Call writeApart(byte[] data) {
            return apart(writeOf(data.length), data, Words.NONE);
        }

        private static Words writeOf(int length) {
            return Words.of(WRITE).and(STATEID).twoWords(0).word(2, length);
        }

        /** Adds a CREATE of a symbolic link whose text moves apart. */
        Call linkApart(byte[] text) {
            // The name, and no attributes: an empty bitmap and an empty list.
            var tail = Words.NONE.opaque(ascii("name")).word(0, 0);
            return apart(Words.of(CREATE, NF4LNK, text.length), text, tail);
        }

        private Call inline(Words operation) {
            return new Call(count + 1, whole.and(operation), reduced.and(operation), positions);
        }

        private Call apart(Words head, byte[] data, Words tail) {
            var more = new ArrayList<>(positions);
            more.add(message(0, 0).length() + whole.and(head).length());
            return new Call(
                    count + 1,
                    whole.and(head).and(padded(data)).and(tail),
                    reduced.and(head).and(tail),
                    List.copyOf(more));
        }

        /** Returns the call message as a server of TCP gets it. */
        Words message(int xid) {
            return message(xid, count).and(whole);
        }

        /** Returns the call message without what moves apart. */
        Words reduced(int xid) {
            return message(xid, count).and(reduced);
        }

        private static Words message(int xid, int count) {
            return message(xid, AUTH_NONE, count);
        }

        private static Words message(int xid, Words credential, int count) {
            return Words.of(xid, 0, 2, 100003, 4, 1)
                    .and(credential)
                    .and(AUTH_NONE)
                    .word(0, 1, count);
        }

        /** Returns the call message with a credential of RPCSEC_GSS, whose service is integrity. */
        Words withIntegrity(int xid) {
            // Version 1, data, sequence number 1, the service, a handle of one word.
            var body = Words.of(1, 0, 1, 2).opaque(new byte[4]);
            return message(xid, Words.of(6).opaque(body.bytes()), count).and(whole);
        }
    }

    static Call call() {
        return new Call(0, Words.NONE, Words.NONE, List.of());
    }

    private static Words padded(byte[] data) {
        return new Words(Arrays.copyOf(data, (data.length + 3) & ~3));
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the reply to a COMPOUND without its XID. */
    static Words reply(int status, Words... operations) {
        var all = Words.of(1, 0, 0, 0, 0, status, 0, operations.length);
        for (var operation : operations) {
            all = all.and(operation);
        }
        return all;
    }

    static Words filehandleWasPut() {
        return Words.of(PUTFH, OK);
    }

    static Words attributes() {
        return Words.of(GETATTR, OK, 1, 0x18).opaque(new byte[16]);
    }

    static Words wasRead(byte[] data) {
        return Words.of(READ, OK, 0).opaque(data);
    }

    /** Returns the results of a READ whose data is in a Write chunk. */
    static Words wasReadApart(int length) {
        return Words.of(READ, OK, 0, length);
    }

    static Words readFailed(int status) {
        return Words.of(READ, status);
    }

    static Words link(byte[] text) {
        return Words.of(READLINK, OK).opaque(text);
    }

    /** Returns the results of a READLINK whose text is in a Write chunk. */
    static Words linkApart(int length) {
        return Words.of(READLINK, OK, length);
    }

    static Words wasWritten(int count) {
        return Words.of(WRITE, OK, count, 2).twoWords(0x0102030405060708L);
    }

    static Words wasCreated() {
        return Words.of(CREATE, OK, 1).twoWords(1).twoWords(2).word(0);
    }
}
