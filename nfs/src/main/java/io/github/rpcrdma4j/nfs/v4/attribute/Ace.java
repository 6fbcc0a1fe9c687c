package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;

/**
 * An entry of an access control list: {@code nfsace4} (RFC 8881, Section 6.2.1).
 *
 * <pre>
 *   type(32) | flag(32) | access_mask(32) | who
 * </pre>
 *
 * @param type {@link #ALLOW}, {@link #DENY}, or another one
 * @param flags when it is inherited, and whether {@code who} is a group
 * @param mask the rights that it allows or denies
 */
public record Ace(int type, int flags, int mask, Who who) {
    /** Types (RFC 8881, Section 6.2.1.1). */
    public static final int ALLOW = 0;

    public static final int DENY = 1;
    public static final int AUDIT = 2;
    public static final int ALARM = 3;

    /** Flags (RFC 8881, Section 6.2.1.4). */
    public static final int FILE_INHERIT = 0x01;

    public static final int DIRECTORY_INHERIT = 0x02;
    public static final int NO_PROPAGATE_INHERIT = 0x04;
    public static final int INHERIT_ONLY = 0x08;
    public static final int SUCCESSFUL_ACCESS = 0x10;
    public static final int FAILED_ACCESS = 0x20;
    public static final int IDENTIFIER_GROUP = 0x40;
    public static final int INHERITED = 0x80;

    /** Rights (RFC 8881, Section 6.2.1.3). LIST_DIRECTORY of a directory is READ_DATA. */
    public static final int READ_DATA = 0x00001;

    /** Of a directory, ADD_FILE. */
    public static final int WRITE_DATA = 0x00002;

    /** Of a directory, ADD_SUBDIRECTORY. */
    public static final int APPEND_DATA = 0x00004;

    public static final int READ_NAMED_ATTRS = 0x00008;
    public static final int WRITE_NAMED_ATTRS = 0x00010;
    public static final int EXECUTE = 0x00020;
    public static final int DELETE_CHILD = 0x00040;
    public static final int READ_ATTRIBUTES = 0x00080;
    public static final int WRITE_ATTRIBUTES = 0x00100;
    public static final int WRITE_RETENTION = 0x00200;
    public static final int WRITE_RETENTION_HOLD = 0x00400;
    public static final int DELETE = 0x10000;
    public static final int READ_ACL = 0x20000;
    public static final int WRITE_ACL = 0x40000;
    public static final int WRITE_OWNER = 0x80000;
    public static final int SYNCHRONIZE = 0x100000;

    /** Three words and the length of the name. */
    private static final int BYTES_MIN = 4 * Integer.BYTES;

    public static Ace decode(XdrReader in) throws XdrException {
        return new Ace(in.uint32(), in.uint32(), in.uint32(), Who.decode(in));
    }

    public XdrWriter encode(XdrWriter out) {
        return who.encode(out.uint32(type).uint32(flags).uint32(mask));
    }

    /** Reads a list. The length of the message bounds it. */
    static List<Ace> decodeAll(XdrReader in) throws XdrException {
        var list = new Ace[in.count(BYTES_MIN, Integer.MAX_VALUE)];
        for (int i = 0; i < list.length; i++) {
            list[i] = decode(in);
        }
        return List.of(list);
    }

    static void encodeAll(XdrWriter out, List<Ace> list) {
        out.uint32(list.size());
        for (var each : list) {
            each.encode(out);
        }
    }

    /** Returns whether {@code who} is a group by its flag. */
    public boolean isGroup() {
        return (flags & IDENTIFIER_GROUP) != 0;
    }
}
