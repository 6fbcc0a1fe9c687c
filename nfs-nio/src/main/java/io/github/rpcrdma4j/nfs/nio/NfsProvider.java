package io.github.rpcrdma4j.nfs.nio;

import io.github.rpcrdma4j.nfs.client.NfsUrl;

/**
 * Files of NFS servers over TCP, for URIs like {@code nfs://server/data/report.csv}.
 *
 * <p>{@link java.nio.file.FileSystems#newFileSystem(java.net.URI, java.util.Map)} connects to a
 * server, with the options of {@link NfsOptions}; the path of its URI is the working directory.
 * Afterwards {@link java.nio.file.Path#of(java.net.URI)} returns paths of all files of the server.
 * Closing the file system closes its channels and the connection. There is one for each server and
 * port.
 *
 * <pre>{@code
 * var server = URI.create("nfs+rdma://server/data");
 * try (var files = FileSystems.newFileSystem(server, NfsOptions.DEFAULT.environment())) {
 *     Files.copy(files.getPath("in.csv"), files.getPath("out.csv"));
 * }
 * }</pre>
 *
 * <p>What is special about files of a server:
 *
 * <ul>
 *   <li>A path begins at the root of the server: {@code /data/report.csv}. In version 3 of NFS,
 *       which has no root of its own, only files of the export are there that holds the path of the
 *       URI of the file system. Names are bytes; those that are not UTF-8 show as in {@link
 *       io.github.rpcrdma4j.nfs.client.RawText}.
 *   <li>What a write has written is seen by all clients when it returns. It survives a crash of the
 *       server after {@code force}, or when {@code close} has returned without an exception.
 *   <li>APPEND writes at the end of the file as the server knows it. Two clients that append by
 *       version 4 lose nothing, because the server compares the size; by version 3 they may. The
 *       bytes of one write stay together up to the longest transfer of the server, usually 1 MiB.
 *   <li>Locks hold against all other programs. A lock that the server has lost is not valid any
 *       more, and each use of its channel throws {@link
 *       io.github.rpcrdma4j.nfs.client.service.LockLostException} until the lock is released.
 *       Version 3 has no locks.
 *   <li>A thread that is interrupted while it uses a channel closes it ({@link
 *       java.nio.channels.ClosedByInterruptException}). Any other operation ends with a {@link
 *       java.io.InterruptedIOException}. A server that does not answer ends each operation by the
 *       timeouts of {@link NfsOptions#client}, and closing the file system some seconds later.
 *   <li>A path that a directory stream returned gives out the attributes of the listing, once and
 *       only for a second ({@link NfsOptions#listed}), and not after a change by this path. So
 *       {@link java.nio.file.Files#walkFileTree} makes calls for directories, and none for files.
 *   <li>{@code Files.copy} and {@code Files.move} within a server let it do the work. A copy has a
 *       temporary name until it is complete. Without ATOMIC_MOVE, whether the target exists is
 *       looked up before.
 *   <li>Users and groups are numbers, or names with a domain in access control lists. There are the
 *       views basic, owner, posix, unix, acl and user, as far as the version of NFS has them.
 *   <li>A {@link java.nio.file.WatchService} lists its directories every two seconds ({@link
 *       NfsOptions#watch}), because a server tells no client of what others do. A file that is made
 *       and removed in between shows no event.
 *   <li>{@code FileChannel.map} and {@code Path.toFile} throw an {@link
 *       UnsupportedOperationException}.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class NfsProvider extends ServerProvider {
    /** Creates the provider, for {@link java.util.ServiceLoader}. It connects to nothing. */
    public NfsProvider() {
        super(NfsUrl.Transport.TCP);
    }
}
