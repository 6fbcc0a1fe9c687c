package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.client.service.AccessRight;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.SpaceStatus;
import io.github.rpcrdma4j.nfs.client.service.TransferLimits;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.xdr.XdrException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;

/**
 * Asks a server what its file systems hold and take, by GETATTR (RFC 8881, Section 5).
 *
 * <p>Tests: {@code FileServiceTest}, {@code FileXattrsTest}.
 */
record FileSystemQuestions(CompoundCalls calls) {
    /** What {@link #limits(ReadAttributes, int)} asks for. */
    static final AttributeSet LIMITS =
            AttributeSet.of(
                    Attribute.MAXREAD,
                    Attribute.MAXWRITE,
                    Attribute.MAXFILESIZE,
                    Attribute.TIME_DELTA);

    private static final AttributeSet XATTRS = AttributeSet.of(Attribute.XATTR_SUPPORT);

    private static final AttributeSet ACLS = AttributeSet.of(Attribute.ACLSUPPORT);

    /** A bit of aclsupport: {@code ACL4_SUPPORT_ALLOW_ACL} (RFC 8881, Section 6.2.1.2). */
    private static final int ALLOW_ACLS = 1;

    private static final AttributeSet SPACE =
            AttributeSet.of(
                    Attribute.SPACE_TOTAL,
                    Attribute.SPACE_FREE,
                    Attribute.SPACE_AVAIL,
                    Attribute.FILES_TOTAL,
                    Attribute.FILES_FREE,
                    Attribute.FILES_AVAIL);

    /** The most bytes of the values of {@link #LIMITS} and of {@link #SPACE}. */
    static final int NUMBERS_BYTES = 64;

    TransferLimits limits(FileHandle directory) throws IOException, InterruptedException {
        int most = calls.roomForData();
        return asked(directory, LIMITS, "cannot ask for the limits", read -> limits(read, most));
    }

    /**
     * Returns the limits of a file system.
     *
     * @param most the most bytes of data of a call or a reply
     */
    static TransferLimits limits(ReadAttributes read, int most) throws XdrException {
        return TransferLimits.told(
                least(Nfs4Values.hyper(read, Attribute.MAXREAD, most), most),
                least(Nfs4Values.hyper(read, Attribute.MAXWRITE, most), most),
                Nfs4Values.hyper(read, Attribute.MAXFILESIZE, Long.MAX_VALUE),
                Nfs4Values.step(read));
    }

    private static int least(long told, int most) {
        return told == 0 || Long.compareUnsigned(told, most) > 0 ? most : (int) told;
    }

    SpaceStatus space(FileHandle file) throws IOException, InterruptedException {
        return asked(
                file,
                SPACE,
                "cannot ask for the space",
                read ->
                        new SpaceStatus(
                                Nfs4Values.hyper(read, Attribute.SPACE_TOTAL, 0),
                                Nfs4Values.hyper(read, Attribute.SPACE_FREE, 0),
                                Nfs4Values.hyper(read, Attribute.SPACE_AVAIL, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_TOTAL, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_FREE, 0),
                                Nfs4Values.hyper(read, Attribute.FILES_AVAIL, 0)));
    }

    boolean keepsXattrs(FileHandle file, String what) throws IOException, InterruptedException {
        return asked(
                file,
                XATTRS,
                what,
                read ->
                        read.present().has(Attribute.XATTR_SUPPORT)
                                && read.flag(Attribute.XATTR_SUPPORT));
    }

    boolean keepsAcls(FileHandle file, String what) throws IOException, InterruptedException {
        return asked(
                file,
                ACLS,
                what,
                read ->
                        read.present().has(Attribute.ACLSUPPORT)
                                && (read.word(Attribute.ACLSUPPORT) & ALLOW_ACLS) != 0);
    }

    /** Makes a value of attributes. */
    private interface FromAttributes<T> {
        T of(ReadAttributes read) throws XdrException;
    }

    private <T> T asked(
            FileHandle file, AttributeSet wanted, String what, FromAttributes<T> conversion)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(file)).attributes(wanted, NUMBERS_BYTES),
                what,
                results -> {
                    var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
                    return Results.decoded(() -> conversion.of(ReadAttributes.decode(encoded)));
                });
    }

    /** Returns which of some rights the caller has. */
    Set<AccessRight> access(FileHandle file, Set<AccessRight> wanted, String what)
            throws IOException, InterruptedException {
        int asked = 0;
        for (var right : wanted) {
            asked |= 1 << right.ordinal();
        }
        int granted =
                calls.run(
                        Plan.at(Nfs4Values.handle(file)).access(asked),
                        what,
                        results -> results.done(1).next(AttributeResult.Access.class).granted());
        var rights = EnumSet.noneOf(AccessRight.class);
        for (var right : wanted) {
            if ((granted & 1 << right.ordinal()) != 0) {
                rights.add(right);
            }
        }
        return rights;
    }
}
