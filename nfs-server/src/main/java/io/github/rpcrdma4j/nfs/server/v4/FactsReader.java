package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.server.driver.ExportedFile;
import io.github.rpcrdma4j.nfs.server.export.FileSystemLocation;
import io.github.rpcrdma4j.nfs.server.served.CallTarget;
import io.github.rpcrdma4j.nfs.server.served.Exports;
import io.github.rpcrdma4j.nfs.server.served.Exports.OpenExport;
import io.github.rpcrdma4j.nfs.server.served.PseudoTree;
import io.github.rpcrdma4j.nfs.server.served.Refusal;
import io.github.rpcrdma4j.nfs.store.FileStatus;
import io.github.rpcrdma4j.nfs.store.FileStore.Mounts;
import io.github.rpcrdma4j.nfs.store.FileSystemFeatures;
import io.github.rpcrdma4j.nfs.store.FileSystemLimits;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.Node.Made;
import io.github.rpcrdma4j.nfs.store.SpaceStatus;
import io.github.rpcrdma4j.nfs.store.StoreException;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.FileSystemId;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations;
import io.github.rpcrdma4j.nfs.v4.attribute.FsLocations.Location;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads the attributes of a file for GETATTR, READDIR, VERIFY and NVERIFY. It reads the space of
 * the file system and the access control list only if they are wanted.
 *
 * <p>Tests: {@code AttributesTest}, {@code MovedExportsTest}.
 */
final class FactsReader {
    private static final FileSystemFeatures NO_FEATURES =
            new FileSystemFeatures(false, false, false, 0, FileSystemLimits.LINUX);

    private static final SpaceStatus NO_SPACE =
            new SpaceStatus(0, 0, 0, 0, 0, 0, HandleOperations.NAME_MAX, 1);

    private static final int PSEUDO_MODE = 0555;
    private static final int PSEUDO_BYTES = 4096;

    private final ServerFacts server;
    private final ChangeCounter changes;
    private final OwnerNames owners;

    FactsReader(ServerFacts server, ChangeCounter changes, OwnerNames owners) {
        this.server = server;
        this.changes = changes;
        this.owners = owners;
    }

    /**
     * Returns what the server tells of a file.
     *
     * @param wanted the attributes that are needed; others need not have a value
     */
    ServedFacts of(Compound compound, CurrentFile file, AttributeSet wanted)
            throws Refusal, StoreException {
        return switch (file) {
            case CurrentFile.Pseudo(var directory) -> of(compound, directory);
            case CurrentFile.Exported exported -> {
                var target = compound.open(exported);
                yield of(compound, target, target.node(), target.node().status(), wanted);
            }
        };
    }

    /**
     * Returns what the server tells of a file that is at another server.
     *
     * @param status what RDATTR_ERROR says
     * @return empty if it is here
     * @throws Refusal WRONGSEC, ACCES or PERM
     */
    Optional<MovedFacts> ofMoved(Compound compound, CurrentFile file, Nfs4Status status)
            throws Refusal, StoreException {
        if (!(file instanceof CurrentFile.Exported exported) || !compound.isMoved(exported)) {
            return Optional.empty();
        }
        var export = exported.export();
        var locations =
                Exports.moved(export, compound.client()).stream()
                        .map(each -> new Location(servers(each), each.path().names()))
                        .toList();
        return Optional.of(
                new MovedFacts(
                        status,
                        new FileSystemId(Integer.toUnsignedLong(export.number()), 0),
                        exported.isRoot()
                                ? OptionalLong.of(mountedOn(compound.exports(), export))
                                : OptionalLong.empty(),
                        new FsLocations(ServedFacts.path(export.export().name()), locations)));
    }

    private static List<OpaqueName> servers(FileSystemLocation location) {
        return location.servers().stream()
                .map(each -> OpaqueName.of(each.getBytes(StandardCharsets.US_ASCII)))
                .toList();
    }

    /** Returns the inode number of the directory that the root of an export covers. */
    private static long mountedOn(Exports exports, OpenExport export) throws StoreException {
        if (exports.tree().parent(export).isPresent()) {
            return PseudoTree.number(export);
        }
        try (var root = export.store().node(export.store().root(), Mounts.CROSS)) {
            return root.status().mountedOn();
        }
    }

    /**
     * Returns what the server tells of a file with a known status.
     *
     * @param target the export and the caller
     * @param node the file
     */
    ServedFacts of(
            Compound compound, CallTarget target, Node node, FileStatus status, AttributeSet wanted)
            throws StoreException {
        var export = target.openExport();
        var names = owners.of(compound);
        boolean wantsSpace = !wanted.and(ServedAttributes.OF_SPACE).isEmpty();
        return new ServedFacts(
                compound.minorVersion(),
                status,
                changes.of(new ExportedFile(export.store(), node.id()), status),
                fileSystem(export, status),
                mountedOn(compound.exports(), export, node, status),
                compound.exports().handle(export, node.id()).bytes(),
                export.export().name(),
                wantsSpace ? node.space() : NO_SPACE,
                wanted.has(Attribute.ACL) ? acl(node, status, names) : List.of(),
                names,
                node.features(),
                Delegating.grants(export),
                server);
    }

    private static List<Ace> acl(Node node, FileStatus status, AclMapping.Names names)
            throws StoreException {
        var acls = node.acls();
        return AclMapping.toAces(acls.access(), acls.defaults(), status.isDirectory(), names);
    }

    /**
     * Returns what the server tells of a file that a listing of its directory has found.
     *
     * @param directory the directory
     */
    ServedFacts ofEntry(
            Compound compound, CallTarget directory, Made.Entry found, AttributeSet wanted)
            throws StoreException {
        var store = directory.openExport().store();
        try (var node = store.node(found.id(), Exports.mounts(directory.rule()))) {
            return of(compound, directory, node, found.status(), wanted);
        }
    }

    /** Returns the id of a file system: that of pseudo directories has only zeros. */
    private static FileSystemId fileSystem(OpenExport export, FileStatus status) {
        return new FileSystemId(Integer.toUnsignedLong(export.number()), status.fileSystem());
    }

    private static long mountedOn(
            Exports exports, OpenExport export, Node node, FileStatus status) {
        if (!node.id().equals(export.store().root())) {
            return status.mountedOn();
        }
        return exports.tree()
                .parent(export)
                .map(parent -> PseudoTree.number(export))
                .orElse(status.mountedOn());
    }

    /** Returns what the server tells of a pseudo directory. */
    ServedFacts of(Compound compound, PseudoTree.Directory directory) {
        var changed = compound.exports().tree().changed();
        var status =
                new FileStatus(
                        FileType.DIRECTORY,
                        PSEUDO_MODE,
                        2,
                        0,
                        0,
                        PSEUDO_BYTES,
                        PSEUDO_BYTES,
                        0,
                        0,
                        0,
                        directory.number(),
                        directory.number(),
                        changed,
                        changed,
                        changed,
                        Optional.empty());
        return new ServedFacts(
                compound.minorVersion(),
                status,
                ChangeCounter.nanos(changed),
                new FileSystemId(0, 0),
                directory.number(),
                compound.exports().handle(directory).bytes(),
                "/",
                NO_SPACE,
                List.of(),
                owners.of(compound),
                NO_FEATURES,
                false,
                server);
    }
}
