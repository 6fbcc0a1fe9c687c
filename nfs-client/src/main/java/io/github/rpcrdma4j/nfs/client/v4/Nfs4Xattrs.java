package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileXattrs;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.service.XattrRule;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.operation.XattrArguments.SetXattr;
import io.github.rpcrdma4j.nfs.v4.operation.XattrResult;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The extended attributes of files, by the operations of RFC 8276. Lists and values have no bound
 * by the protocol: a list is asked for in pages that fit, and a value with room for the longest one
 * that this side takes (RFC 8267, Section 3.1).
 *
 * <p>Tests: {@code FileXattrsTest}.
 */
record Nfs4Xattrs(CompoundCalls calls, FileSystemQuestions fileSystems) implements FileXattrs {
    /** The first page, in bytes: its reply needs no Reply chunk, and most files have no more. */
    private static final int FIRST_PAGE_BYTES = 512;

    /** How often a list is begun that changes while it is read. */
    private static final int LISTINGS = 3;

    /** What a name has beside its bytes in the lists of Linux: {@code user.} and a NUL. */
    private static final int BESIDE_NAME = 6;

    /** The names so far. */
    private static final class Listed {
        private final Set<FileName> names = new LinkedHashSet<>();

        /** Of all names that came, once more those that came twice. */
        private long bytes;

        /** Adds those of a page. Each page brings the end nearer, or fails. */
        void add(XattrResult.ListXattrs page, String what) throws IOException {
            if (page.names().isEmpty() && !page.isLast()) {
                throw wrong(what, "does not go on");
            }
            for (var name : page.names()) {
                if (name.length() == 0 || name.contains('\0')) {
                    throw wrong(what, "has a name that none can have");
                }
                bytes += name.length() + BESIDE_NAME;
                if (bytes > BYTES_MAX) {
                    throw wrong(what, "is longer than 64 KiB");
                }
                names.add(name);
            }
        }

        private static IOException wrong(String what, String why) {
            return new IOException(what + ": the server's list of extended attributes " + why);
        }
    }

    private int most() {
        return Math.min(BYTES_MAX, calls.roomForData());
    }

    @Override
    public boolean exist() {
        return true;
    }

    @Override
    public boolean areKept(FileHandle file, String what) throws IOException, InterruptedException {
        return fileSystems.keepsXattrs(file, what);
    }

    @Override
    public List<FileName> names(FileHandle file, String what)
            throws IOException, InterruptedException {
        for (int left = LISTINGS - 1; true; left--) {
            try {
                return listed(file, what);
            } catch (NfsException changed) {
                if (changed.status() != Status.BAD_COOKIE || left == 0) {
                    throw changed;
                }
            }
        }
    }

    private List<FileName> listed(FileHandle file, String what)
            throws IOException, InterruptedException {
        var listed = new Listed();
        var page = first(file, what);
        listed.add(page, what);
        while (!page.isLast()) {
            page = page(file, page.cookie(), most(), what);
            listed.add(page, what);
        }
        return List.copyOf(listed.names);
    }

    private XattrResult.ListXattrs first(FileHandle file, String what)
            throws IOException, InterruptedException {
        try {
            return page(file, 0, FIRST_PAGE_BYTES, what);
        } catch (NfsException refused) {
            if (refused.status() != Status.TOOSMALL) {
                throw refused;
            }
            return page(file, 0, most(), what);
        }
    }

    private XattrResult.ListXattrs page(FileHandle file, long cookie, int bytesMax, String what)
            throws IOException, InterruptedException {
        try {
            return calls.run(
                    Plan.at(Nfs4Values.handle(file)).xattrs(cookie, bytesMax),
                    what,
                    results -> results.done(1).next(XattrResult.ListXattrs.class));
        } catch (RpcException.TransportRefused _) {
            // It is not asked again (RFC 8267-3.1-4), and other files are not concerned.
            throw Listed.wrong(what, "is longer than it was asked for");
        }
    }

    @Override
    public byte[] value(FileHandle file, FileName name, String what)
            throws IOException, InterruptedException {
        var plan = Plan.at(Nfs4Values.handle(file)).xattr(name, most());
        try {
            return calls.run(
                    plan,
                    what,
                    results -> {
                        var value = results.done(1).next(XattrResult.GetXattr.class).value();
                        if (value.byteSize() > BYTES_MAX) {
                            throw tooLong(what);
                        }
                        return value.toArray(ValueLayout.JAVA_BYTE);
                    });
        } catch (RpcException.TransportRefused _) {
            throw tooLong(what);
        } catch (NfsException refused) {
            throw refused.status() == Status.TOOSMALL ? tooLong(what) : refused;
        }
    }

    private static NfsException tooLong(String what) {
        return NfsException.found(
                what, "the extended attribute is too long for this client", Status.XATTR2BIG);
    }

    @Override
    public void set(FileHandle file, FileName name, byte[] value, XattrRule rule, String what)
            throws IOException, InterruptedException {
        if (value.length > calls.roomForData()) {
            throw new NfsException(what, Status.XATTR2BIG);
        }
        var option =
                switch (rule) {
                    case EITHER -> SetXattr.Option.EITHER;
                    case CREATE -> SetXattr.Option.CREATE;
                    case REPLACE -> SetXattr.Option.REPLACE;
                };
        var set = new SetXattr(option, name, MemorySegment.ofArray(value));
        calls.run(
                Plan.at(Nfs4Values.handle(file)).xattr(set),
                what,
                results -> results.done(1).next(XattrResult.SetXattr.class));
    }

    @Override
    public void remove(FileHandle file, FileName name, String what)
            throws IOException, InterruptedException {
        calls.run(
                Plan.at(Nfs4Values.handle(file)).removeXattr(name),
                what,
                results -> results.done(1).next(XattrResult.RemoveXattr.class));
    }
}
