package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.nfs.v3.Values;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.xdr.SegmentPool;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import java.util.OptionalInt;

/** The procedures on one file (RFC 1813, Sections 3.3.1 to 3.3.7 and 3.3.21). */
final class FileOperations {
    private final Permissions permissions;
    private final OpenFiles openFiles;
    private final AttributeChanges changes;
    private final int transferMax;

    /** Tells clients whether what they wrote UNSTABLE may have been lost: new after each start. */
    private final long writeVerifier;

    FileOperations(
            Permissions permissions,
            OpenFiles openFiles,
            AttributeChanges changes,
            int transferMax,
            long writeVerifier) {
        this.permissions = permissions;
        this.openFiles = openFiles;
        this.changes = changes;
        this.transferMax = transferMax;
        this.writeVerifier = writeVerifier;
    }

    Ok<Nothing, FileAttributes> getAttributes(Located file) {
        return new Ok<>(Nothing.NOTHING, file.file());
    }

    Ok<WccData, Nothing> changeAttributes(
            Located file, Nfs3Call.ChangeAttributes call, Credential caller)
            throws Refusal, IOException {
        file.tree().requireWritable();
        if (call.guard().isPresent() && !call.guard().get().equals(file.file().changed())) {
            throw new Refusal(Status.NOT_SYNC);
        }
        var wanted = call.changes();
        boolean ofOwner =
                wanted.mode().isPresent() || wanted.uid().isPresent() || wanted.gid().isPresent();
        if (ofOwner && !permissions.isOwner(file, caller)) {
            throw new Refusal(Status.PERM);
        }
        if (changesOwner(wanted.uid(), file.file().uid()) && !isRoot(caller)) {
            throw new Refusal(Status.PERM);
        }
        permissions.requireForData(file, caller, Permissions.WRITE);
        changes.apply(file, wanted);
        return new Ok<>(file.tree().since(file), Nothing.NOTHING);
    }

    private static boolean changesOwner(OptionalInt wanted, int now) {
        return wanted.isPresent() && wanted.getAsInt() != now;
    }

    private static boolean isRoot(Credential caller) {
        return caller instanceof Credential.Sys sys && sys.uid() == 0;
    }

    Ok<Optional<FileAttributes>, Integer> access(
            Located file, Nfs3Call.Access call, Credential caller) {
        return new Ok<>(Optional.of(file.file()), permissions.access(file, caller, call.wanted()));
    }

    Ok<Optional<FileAttributes>, Values.LinkText> readLink(Located link, SegmentPool pool)
            throws Refusal, IOException {
        if (link.file().type() != FileType.SYMBOLIC_LINK) {
            throw new Refusal(Status.INVAL);
        }
        byte[] text =
                Files.readSymbolicLink(link.path()).toString().getBytes(StandardCharsets.UTF_8);
        var lease = pool.lease(text.length);
        lease.segment().copyFrom(MemorySegment.ofArray(text));
        return new Ok<>(
                Optional.of(link.file()), new Values.LinkText(lease.segment(), lease::close));
    }

    Ok<Optional<FileAttributes>, Values.ReadData> read(
            Located file, Nfs3Call.Read call, Credential caller, SegmentPool pool)
            throws Refusal, IOException {
        requireRegular(file);
        permissions.requireForData(file, caller, Permissions.READ);
        int count = (int) Math.min(Integer.toUnsignedLong(call.count()), transferMax);
        var lease = pool.lease(count);
        try (var use = openFiles.open(file, false)) {
            long offset = call.offset();
            int done = 0;
            // Offsets beyond what a file can have read nothing.
            if (offset >= 0) {
                var target = lease.segment().asByteBuffer();
                int read = 0;
                while (target.hasRemaining() && read >= 0) {
                    read = use.channel().read(target, offset + target.position());
                }
                done = target.position();
            }
            boolean endOfFile = offset < 0 || offset + done >= use.channel().size();
            var now = file.tree().now(file);
            return new Ok<>(
                    now,
                    new Values.ReadData(lease.segment().asSlice(0, done), endOfFile, lease::close));
        } catch (IOException | RuntimeException failure) {
            lease.close();
            throw failure;
        }
    }

    Ok<WccData, Values.Written> write(Located file, Nfs3Call.Write call, Credential caller)
            throws Refusal, IOException {
        file.tree().requireWritable();
        requireRegular(file);
        permissions.requireForData(file, caller, Permissions.WRITE);
        if (call.offset() < 0 || call.offset() + call.data().byteSize() < 0) {
            throw new Refusal(Status.FBIG);
        }
        try (var use = openFiles.open(file, true)) {
            var source = call.data().asByteBuffer();
            while (source.hasRemaining()) {
                use.channel().write(source, call.offset() + source.position());
            }
            switch (call.stability()) {
                case UNSTABLE -> {}
                case DATA_SYNC -> use.channel().force(false);
                case FILE_SYNC -> use.channel().force(true);
            }
            return new Ok<>(
                    file.tree().since(file),
                    new Values.Written(
                            (int) call.data().byteSize(), call.stability(), writeVerifier));
        }
    }

    Ok<WccData, Long> commit(Located file, Credential caller) throws Refusal, IOException {
        requireRegular(file);
        permissions.requireForData(file, caller, Permissions.WRITE);
        if (!file.tree().export().readOnly()) {
            try (var use = openFiles.open(file, true)) {
                use.channel().force(true);
            }
        }
        return new Ok<>(file.tree().since(file), writeVerifier);
    }

    private static void requireRegular(Located file) throws Refusal {
        if (file.attributes().isDirectory()) {
            throw new Refusal(Status.ISDIR);
        }
        if (file.file().type() != FileType.REGULAR) {
            throw new Refusal(Status.INVAL);
        }
    }
}
