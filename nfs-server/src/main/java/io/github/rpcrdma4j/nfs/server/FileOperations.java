package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.Tree.Located;
import io.github.rpcrdma4j.nfs.v3.FileAttributes;
import io.github.rpcrdma4j.nfs.v3.FileType;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Nothing;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Ok;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.SetAttributes.TimeChange;
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

/** The procedures on what is known of one file (RFC 1813, Sections 3.3.1, 3.3.2, 3.3.4, 3.3.5). */
final class FileOperations {
    private final Permissions permissions;
    private final AttributeChanges changes;

    FileOperations(Permissions permissions, AttributeChanges changes) {
        this.permissions = permissions;
        this.changes = changes;
    }

    Ok<Nothing, FileAttributes> getAttributes(Located file) {
        return new Ok<>(Nothing.NOTHING, file.file());
    }

    Ok<WccData, Nothing> changeAttributes(
            Change change, Nfs3Call.ChangeAttributes call, Credential caller)
            throws Refusal, IOException {
        var file = change.file();
        file.requireWritable();
        AttributeChanges.requireOwners(call.changes());
        if (call.guard().isPresent() && !call.guard().get().equals(file.file().changed())) {
            throw new Refusal(Status.NOT_SYNC);
        }
        requireGranted(file, call.changes(), caller);
        changes.apply(file, granted(file, call.changes(), caller));
        return new Ok<>(change.wcc(), Nothing.NOTHING);
    }

    /** Who owns a file says what it is; who may write to it, what is in it and that it was used. */
    private void requireGranted(Located file, SetAttributes wanted, Credential caller)
            throws Refusal {
        boolean ofOwner =
                wanted.mode().isPresent()
                        || wanted.uid().isPresent()
                        || wanted.gid().isPresent()
                        || wanted.accessed() instanceof TimeChange.To
                        || wanted.modified() instanceof TimeChange.To;
        boolean mayGive =
                (wanted.uid().isEmpty()
                                || permissions.mayGiveToUser(file, caller, wanted.uid().getAsInt()))
                        && (wanted.gid().isEmpty()
                                || permissions.mayGiveTo(file, caller, wanted.gid().getAsInt()));
        if (ofOwner && !permissions.isOwner(file, caller) || !mayGive) {
            throw new Refusal(Status.PERM);
        }
        permissions.requireForData(file, caller, Permissions.WRITE);
    }

    private SetAttributes granted(Located file, SetAttributes wanted, Credential caller) {
        if (wanted.mode().isEmpty()) {
            return wanted;
        }
        int group = wanted.gid().orElse(file.file().gid());
        int mode = permissions.grantedMode(file, caller, wanted.mode().getAsInt(), group);
        return new SetAttributes(
                OptionalInt.of(mode),
                wanted.uid(),
                wanted.gid(),
                wanted.size(),
                wanted.accessed(),
                wanted.modified());
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
}
