package io.github.rpcrdma4j.nfs.nio.tree;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.client.copy.Copier;
import io.github.rpcrdma4j.nfs.client.copy.CopyListener;
import io.github.rpcrdma4j.nfs.client.copy.IncompleteTreeException;
import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges;
import io.github.rpcrdma4j.nfs.client.service.AttributeChanges.TimeChange;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.FileIdentity;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import io.github.rpcrdma4j.nfs.client.service.RemotePlace;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.nio.path.PathText;
import java.io.IOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.util.OptionalInt;

/**
 * Copies and moves files of a server. A regular file is copied by the server itself if it can, into
 * a temporary name, and renamed when it is complete. Thread-safe.
 *
 * <p>Tests: {@code ProviderContract}.
 */
public final class FileCopies {
    private static final int PERMISSIONS = 0777;

    private final ServerTree tree;
    private final ClientOptions options;
    private final int umask;

    /** Made at their first use; guarded by this object. */
    private Copier plain;

    private Copier withAttributes;

    /**
     * @param umask the permission bits that new files do not get
     */
    public FileCopies(ServerTree tree, ClientOptions options, int umask) {
        this.tree = tree;
        this.options = options;
        this.umask = umask;
    }

    private synchronized Copier copier(boolean keepsAttributes)
            throws IOException, InterruptedException {
        if (keepsAttributes) {
            withAttributes =
                    withAttributes == null ? made(PreservedAttributes.ATTRIBUTES) : withAttributes;
            return withAttributes;
        }
        plain = plain == null ? made(PreservedAttributes.PERMISSIONS) : plain;
        return plain;
    }

    private Copier made(PreservedAttributes kept) throws IOException, InterruptedException {
        return new Copier(tree.mount(), options, CopyListener.NONE, kept);
    }

    /** Copies a file; of a directory, itself alone. */
    public void copy(PathText from, PathText to, CopyWish wish) throws IOException {
        var source = tree.file(from, wish.followsLinks());
        ServerTree.run(
                to,
                () -> {
                    var place = tree.place(to);
                    var there = tree.service().find(place, ServerTree.what("find", to));
                    if (there.isPresent() && isSame(source, there.get())) {
                        return null;
                    }
                    if (there.isPresent()) {
                        requireReplaced(wish, to);
                        // A regular file takes the place of another file when it is complete.
                        if (!isRegular(source) || there.get().attributes().isDirectory()) {
                            tree.remove(there.get(), place, to);
                        }
                    }
                    copy(source, from, place, to, wish);
                    if (there.isPresent() && isRegular(source) && !wish.keepsAttributes()) {
                        // The copier lets a replaced file keep its mode, as cp does.
                        var made = tree.service().lookup(place, ServerTree.what("find", to));
                        keep(made.handle(), mode(source), to);
                    }
                    return null;
                });
    }

    /** Returns the permissions of a new file that is a copy. */
    private AttributeChanges mode(RemoteFile source) {
        return AttributeChanges.ofMode(source.attributes().mode() & PERMISSIONS & ~umask);
    }

    private static boolean isSame(RemoteFile one, RemoteFile other) {
        return FileIdentity.of(one.attributes()).equals(FileIdentity.of(other.attributes()));
    }

    private static boolean isRegular(RemoteFile file) {
        return file.attributes().type() == FileType.REGULAR;
    }

    private static void requireReplaced(CopyWish wish, PathText to)
            throws FileAlreadyExistsException {
        if (!wish.replaces()) {
            throw new FileAlreadyExistsException(to.toString());
        }
    }

    private void copy(
            RemoteFile source, PathText from, RemotePlace place, PathText to, CopyWish wish)
            throws IOException, InterruptedException {
        var service = tree.service();
        var file = source.attributes();
        var what = ServerTree.what("make", to);
        var mode = mode(source);
        switch (file.type()) {
            case REGULAR -> copyBytes(source, from, place, to, wish);
            case SYMBOLIC_LINK -> {
                var text = service.readLink(source.handle(), ServerTree.what("read", from));
                service.makeLink(place, text, what);
            }
            case DIRECTORY -> {
                service.makeDirectory(place, mode, what);
                keepAttributes(file, place, to, wish);
            }
            case BLOCK_DEVICE, CHARACTER_DEVICE, SOCKET, FIFO -> {
                service.makeNode(
                        place, file.type(), mode, file.deviceMajor(), file.deviceMinor(), what);
                keepAttributes(file, place, to, wish);
            }
        }
    }

    private void copyBytes(
            RemoteFile source, PathText from, RemotePlace place, PathText to, CopyWish wish)
            throws IOException, InterruptedException {
        try {
            copier(wish.keepsAttributes())
                    .copy(source, from.bytes().escaped(), place, to.bytes().escaped());
        } catch (IncompleteTreeException _) {
            // The bytes are copied, and attributes only as far as the caller may set them.
        }
    }

    /** Copies the attributes of a file, as far as the caller may set them. */
    private void keepAttributes(FileAttributes file, RemotePlace place, PathText to, CopyWish wish)
            throws IOException, InterruptedException {
        if (wish.keepsAttributes()) {
            var made = tree.service().lookup(place, ServerTree.what("find", to)).handle();
            var times =
                    AttributeChanges.NONE.withTimes(
                            new TimeChange.To(tree.service().nearest(file.accessed())),
                            new TimeChange.To(tree.service().nearest(file.modified())));
            var owner =
                    AttributeChanges.NONE.withOwner(
                            OptionalInt.of(file.uid()), OptionalInt.of(file.gid()));
            // The change of the owner takes rights away that the mode gives.
            keep(made, owner, to);
            keep(made, times.withMode(file.mode() & PERMISSIONS), to);
        }
    }

    private void keep(FileHandle made, AttributeChanges changes, PathText to)
            throws IOException, InterruptedException {
        try {
            tree.service().change(made, changes, ServerTree.what("change", to));
        } catch (NfsException refused) {
            if (!refused.isOfOwner()) {
                throw refused;
            }
        }
    }

    /** Copies bytes that come from elsewhere to a file. */
    public void fill(PathText to, ReadableByteChannel source, CopyWish wish) throws IOException {
        ServerTree.run(
                to,
                () -> {
                    var place = tree.place(to);
                    var there = tree.service().find(place, ServerTree.what("find", to));
                    if (there.isPresent()) {
                        requireReplaced(wish, to);
                        if (there.get().attributes().isDirectory()) {
                            tree.remove(there.get(), place, to);
                        }
                    }
                    copier(false).put(source, place, to.bytes().escaped());
                    return null;
                });
    }

    /** Moves a file. */
    public void move(PathText from, PathText to, CopyWish wish) throws IOException {
        ServerTree.run(
                from,
                to,
                () -> {
                    var source = tree.place(from);
                    if (wish.isAtomic()) {
                        moveAtOnce(source, tree.place(to), from, to);
                    } else {
                        // A source that is not there is told before a target that cannot be.
                        var file = tree.service().lookup(source, ServerTree.what("find", from));
                        move(file, source, tree.place(to), from, to, wish);
                    }
                    return null;
                });
    }

    private void rename(RemotePlace source, RemotePlace target, PathText from, PathText to)
            throws IOException, InterruptedException {
        tree.service()
                .rename(
                        source,
                        target,
                        ServerTree.what("rename", from) + " to " + to.bytes().escaped());
    }

    private void moveAtOnce(RemotePlace source, RemotePlace target, PathText from, PathText to)
            throws IOException, InterruptedException {
        try {
            rename(source, target, from, to);
        } catch (NfsException refused) {
            throw switch (refused.status()) {
                case XDEV ->
                        new AtomicMoveNotSupportedException(
                                from.toString(), to.toString(), refused.reason());
                case NOTEMPTY -> new DirectoryNotEmptyException(to.toString());
                default -> refused;
            };
        }
    }

    private void move(
            RemoteFile file,
            RemotePlace source,
            RemotePlace target,
            PathText from,
            PathText to,
            CopyWish wish)
            throws IOException, InterruptedException {
        var there = tree.service().find(target, ServerTree.what("find", to));
        if (there.isPresent()) {
            if (isSame(file, there.get())) {
                return;
            }
            requireReplaced(wish, to);
            boolean isDirectory = there.get().attributes().isDirectory();
            if (isDirectory || file.attributes().isDirectory()) {
                requireEmptied(there.get(), target, to);
            }
        }
        try {
            rename(source, target, from, to);
        } catch (NfsException refused) {
            if (refused.status() != Status.XDEV) {
                throw refused;
            }
            moveAcross(file, source, target, from, to, wish);
        }
    }

    private void requireEmptied(RemoteFile there, RemotePlace place, PathText to)
            throws IOException, InterruptedException {
        try {
            tree.remove(there, place, to);
        } catch (NfsException refused) {
            throw refused.status() == Status.NOTEMPTY
                    ? new DirectoryNotEmptyException(to.toString())
                    : refused;
        }
    }

    /** Moves a file to another file system of the server, or an empty directory. */
    private void moveAcross(
            RemoteFile file,
            RemotePlace source,
            RemotePlace target,
            PathText from,
            PathText to,
            CopyWish wish)
            throws IOException, InterruptedException {
        copy(file, from, target, to, wish);
        try {
            tree.remove(file, source, from);
        } catch (NfsException refused) {
            if (file.attributes().isDirectory()) {
                tree.service().removeDirectory(target, ServerTree.what("remove", to));
            }
            throw refused;
        }
    }
}
