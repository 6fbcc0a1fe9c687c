package io.github.rpcrdma4j.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.cli.ServerProcess;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.acl.Acl3Call;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.NfsAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.NfsVersion;
import io.github.rpcrdma4j.nfs.client.v3.Nfs3Client;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.NameArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A client over RDMA that changes names and rights, by one version of NFS. */
sealed interface AuditedClient extends AutoCloseable {
    Duration PATIENCE = Duration.ofSeconds(20);
    String EXPORT = "exported";

    void remove(FileName directory, FileName name) throws Exception;

    void removeDirectory(FileName directory, FileName name) throws Exception;

    void rename(FileName directory, FileName name, FileName target, FileName newName)
            throws Exception;

    /** Links a file to a name in another directory. */
    void link(FileName directory, FileName name, FileName target, FileName newName)
            throws Exception;

    /** Sets the rights that are present. */
    void set(FileName directory, FileName name, OptionalInt mode, OptionalInt uid, OptionalInt gid)
            throws Exception;

    void setSize(FileName directory, FileName name, long size) throws Exception;

    @Override
    void close();

    static InetSocketAddress address(ServerProcess server) {
        int port = Integer.parseInt(server.url().replaceFirst("rdma://[^/]*:(\\d+)/.*", "$1"));
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Returns a client of a version. */
    static AuditedClient of(int version, ServerProcess server, Credential caller) throws Exception {
        return switch (version) {
            case 2 -> Named.of(NfsVersion.VERSION_2, server, caller);
            case 3 -> Named.of(NfsVersion.VERSION_3, server, caller);
            default -> new Compounds(connect(server, caller));
        };
    }

    private static RpcRdmaClient connect(ServerProcess server, Credential caller) throws Exception {
        return RpcRdmaClient.builder()
                .credential(caller)
                .binding(Nfs4Binding.BINDING)
                .binding(NfsAcl.VERSION_3)
                .connect(address(server));
    }

    /** Replaces the access control list of a file by NFSACL version 3. */
    static void setAcl(ServerProcess server, Credential.Sys caller, FileName name, PosixAcl acl)
            throws Exception {
        FileHandle file;
        try (var client = Named.of(NfsVersion.VERSION_3, server, caller)) {
            file = client.find(client.root, name);
        }
        var lists =
                new AclLists(
                        AclLists.ACCESS,
                        AclLists.Listed.of(acl, caller.uid(), caller.gid()),
                        AclLists.Listed.NONE);
        var call = new Acl3Call.SetAcl(file, lists);
        try (var connection = connect(server, caller);
                var reply =
                        connection.call(
                                new RpcCall(
                                        NfsAcl.PROGRAM,
                                        Acl3Call.VERSION,
                                        call.procedure().number(),
                                        call::encode,
                                        1000),
                                PATIENCE)) {
            assertEquals(0, reply.results().uint32());
        }
    }

    /** Version 2 or 3. */
    record Named(Nfs3Client client, FileHandle root) implements AuditedClient {
        static Named of(NfsVersion version, ServerProcess server, Credential caller)
                throws Exception {
            var options = ClientOptions.DEFAULT.withVersion(version);
            var client =
                    new Nfs3Client(
                            () ->
                                    RpcRdmaClient.builder()
                                            .credential(caller)
                                            .binding(version.binding())
                                            .connect(address(server)),
                            () ->
                                    RpcRdmaClient.builder()
                                            .credential(caller)
                                            .binding(version.binding())
                                            .connect(address(server)),
                            options,
                            version);
            return new Named(client, client.mount("/" + EXPORT));
        }

        FileHandle find(FileHandle directory, FileName name) throws Exception {
            return client.call(new Nfs3Call.Lookup(new DirOpArgs(directory, name))).handle();
        }

        private DirOpArgs at(FileName directory, FileName name) throws Exception {
            return new DirOpArgs(find(root, directory), name);
        }

        @Override
        public void remove(FileName directory, FileName name) throws Exception {
            client.call(new Nfs3Call.Remove(at(directory, name)));
        }

        @Override
        public void removeDirectory(FileName directory, FileName name) throws Exception {
            client.call(new Nfs3Call.RemoveDirectory(at(directory, name)));
        }

        @Override
        public void rename(FileName directory, FileName name, FileName target, FileName newName)
                throws Exception {
            client.call(new Nfs3Call.Rename(at(directory, name), at(target, newName)));
        }

        @Override
        public void link(FileName directory, FileName name, FileName target, FileName newName)
                throws Exception {
            var file = find(find(root, directory), name);
            client.call(new Nfs3Call.Link(file, at(target, newName)));
        }

        private void set(FileName directory, FileName name, SetAttributes changes)
                throws Exception {
            var file = find(find(root, directory), name);
            client.call(new Nfs3Call.ChangeAttributes(file, changes, Optional.empty()));
        }

        @Override
        public void set(
                FileName directory,
                FileName name,
                OptionalInt mode,
                OptionalInt uid,
                OptionalInt gid)
                throws Exception {
            var owner = SetAttributes.NONE.withOwner(uid, gid);
            set(directory, name, mode.isPresent() ? owner.withMode(mode.getAsInt()) : owner);
        }

        @Override
        public void setSize(FileName directory, FileName name, long size) throws Exception {
            set(directory, name, SetAttributes.ofSize(size));
        }

        @Override
        public void close() {
            client.close();
        }
    }

    /** Version 4.0, which needs no session. */
    record Compounds(RpcRdmaClient connection) implements AuditedClient {
        private void send(Arguments... operations) throws Exception {
            var compound =
                    new CompoundArguments(OpaqueName.of(new byte[0]), 0, List.of(operations));
            var call =
                    new RpcCall(
                            Nfs4Binding.PROGRAM,
                            Nfs4Binding.VERSION,
                            Nfs4Binding.COMPOUND,
                            compound::encode,
                            4096);
            try (var reply = connection.call(call, PATIENCE)) {
                assertEquals(Nfs4Status.OK, CompoundResult.decode(reply.results()).status());
            }
        }

        private static List<Arguments> at(FileName... names) {
            var all = new ArrayList<Arguments>();
            all.add(new HandleArguments.PutRootFh());
            all.add(new HandleArguments.Lookup(FileName.of(EXPORT)));
            for (var each : names) {
                all.add(new HandleArguments.Lookup(each));
            }
            return all;
        }

        private void send(List<Arguments> before, Arguments last) throws Exception {
            var all = new ArrayList<>(before);
            all.add(last);
            send(all.toArray(Arguments[]::new));
        }

        @Override
        public void remove(FileName directory, FileName name) throws Exception {
            send(at(directory), new NameArguments.Remove(name));
        }

        @Override
        public void removeDirectory(FileName directory, FileName name) throws Exception {
            remove(directory, name);
        }

        @Override
        public void rename(FileName directory, FileName name, FileName target, FileName newName)
                throws Exception {
            var all = at(directory);
            all.add(new HandleArguments.SaveFh());
            all.addAll(at(target));
            send(all, new NameArguments.Rename(name, newName));
        }

        @Override
        public void link(FileName directory, FileName name, FileName target, FileName newName)
                throws Exception {
            var all = at(directory, name);
            all.add(new HandleArguments.SaveFh());
            all.addAll(at(target));
            send(all, new NameArguments.Link(newName));
        }

        private void set(
                FileName directory,
                FileName name,
                io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes changes)
                throws Exception {
            var encoded = changes.encoded(new SegmentPool(1 << 20));
            send(at(directory, name), new AttributeArguments.SetAttr(StateId.ANONYMOUS, encoded));
        }

        private static Optional<Who> who(OptionalInt id) {
            return id.isPresent() ? Optional.of(Who.ofId(id.getAsInt())) : Optional.empty();
        }

        @Override
        public void set(
                FileName directory,
                FileName name,
                OptionalInt mode,
                OptionalInt uid,
                OptionalInt gid)
                throws Exception {
            var owner =
                    io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.NONE.withOwner(
                            who(uid), who(gid));
            set(directory, name, mode.isPresent() ? owner.withMode(mode.getAsInt()) : owner);
        }

        @Override
        public void setSize(FileName directory, FileName name, long size) throws Exception {
            set(directory, name, io.github.rpcrdma4j.nfs.v4.attribute.SetAttributes.ofSize(size));
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
