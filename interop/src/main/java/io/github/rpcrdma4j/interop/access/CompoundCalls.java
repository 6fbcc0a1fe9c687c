package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sends the COMPOUNDs of cases to a server. For use by one thread. */
final class CompoundCalls implements AutoCloseable {
    /** What the clients of cases differ in. */
    private record Kind(int minorVersion, boolean hasDelegations) {
        /** The kind of the other client of a case. */
        static final Kind OTHER = new Kind(2, false);

        static Kind of(Compounds compounds) {
            return new Kind(compounds.minorVersion(), compounds.hasDelegations());
        }

        List<RpcProgram> programs() {
            return hasDelegations ? List.of(new CallbackProgram()) : List.of();
        }
    }

    private final TableServer server;
    private final Map<Kind, CompoundConnections> connections = new HashMap<>();

    /** A client is made when the first case needs it. */
    private final Map<Kind, TableClient> clients = new HashMap<>();

    CompoundCalls(TableServer server) {
        this.server = server;
    }

    private CompoundConnections connections(Kind kind) {
        return connections.computeIfAbsent(
                kind, _ -> new CompoundConnections(server, kind.programs()));
    }

    private TableClient client(Kind kind) throws IOException, InterruptedException {
        var client = clients.get(kind);
        if (client == null) {
            client = TableClient.of(connections(kind), kind.minorVersion(), kind.hasDelegations());
            clients.put(kind, client);
        }
        return client;
    }

    /**
     * Returns the handles of files, looked up by root from the root of the server.
     *
     * @param directory that of a case
     * @param paths the paths of its files
     */
    Map<String, FileHandle> find(String directory, List<String> paths)
            throws IOException, InterruptedException {
        var walk = new ArrayList<Arguments>();
        for (var path : paths) {
            walk.add(new HandleArguments.PutRootFh());
            for (var name : (directory + "/" + path).split("/")) {
                if (!name.isEmpty() && !name.equals(".")) {
                    walk.add(new HandleArguments.Lookup(FileName.of(name)));
                }
            }
            walk.add(new HandleArguments.GetFh());
        }
        var found = new HashMap<String, FileHandle>();
        for (var result :
                TableClient.send(connections(Kind.OTHER), 0, walk.toArray(Arguments[]::new))) {
            if (result instanceof HandleResult.GetFh(var handle)) {
                found.put(paths.get(found.size()), handle);
            }
        }
        return found;
    }

    /**
     * Sends the COMPOUNDs of a case.
     *
     * @param handles the handles of its files, by path
     * @return the operation, the status and the essential results of each COMPOUND, in words
     */
    String call(Case of, Compounds compounds, Map<String, FileHandle> handles)
            throws InterruptedException {
        var words = new ArrayList<String>();
        var kind = Kind.of(compounds);
        try {
            var holding =
                    new Holding(of.id(), client(kind).clientId(), server.verifiers(), handles);
            for (var step : compounds.steps()) {
                var client = client(step.client() == Step.Client.SAME ? kind : Kind.OTHER);
                var reply = make(client, step.by().orElse(of.caller()), step, holding);
                words.add(CompoundWords.of(main(reply)));
                if (lacks(step, reply, holding)) {
                    break;
                }
            }
        } catch (RpcException failed) {
            words.add("RPC " + failed.getClass().getSimpleName());
            clients.clear();
        } catch (IOException broken) {
            words.add("BROKEN " + broken.getMessage());
            clients.clear();
        }
        return String.join(", ", words);
    }

    /** Returns whether a step did not give what the case needs of it. */
    private static boolean lacks(Step step, CompoundResult reply, Holding holding) {
        return switch (step.needs()) {
            case NOTHING -> false;
            case SUCCESS -> reply.status() != Nfs4Status.OK;
            case DELEGATION -> reply.status() != Nfs4Status.OK || !holding.hasDelegation();
        };
    }

    private static CompoundResult make(
            TableClient client, Caller caller, Step step, Holding holding)
            throws IOException, InterruptedException {
        var reply = client.call(caller, step.build().from(holding));
        holding.take(step, reply);
        for (var result : reply.results()) {
            if (result instanceof StateResult.Open open
                    && (open.flags() & StateResult.Open.CONFIRM) != 0) {
                confirm(client, caller, step, holding);
            }
        }
        return reply;
    }

    private static void confirm(TableClient client, Caller caller, Step step, Holding holding)
            throws IOException, InterruptedException {
        var owner = holding.ownerOf(step.keeps());
        List<Arguments> operations =
                List.of(
                        holding.put(step.path()),
                        new StateArguments.OpenConfirm(
                                holding.stateId(step.keeps()), holding.count(owner)));
        var reply = client.call(caller, operations);
        holding.take(step, reply);
        if (reply.status() != Nfs4Status.OK) {
            throw new IOException("the server does not confirm: " + reply.results());
        }
    }

    /** Returns the result that tells how a COMPOUND went: the last, but for its handle. */
    private static Result main(CompoundResult reply) {
        var last = reply.results().getLast();
        return last instanceof HandleResult.GetFh
                        && reply.results().size() > 1
                        && reply.results().get(reply.results().size() - 2).opcode() == Opcode.OPEN
                ? reply.results().get(reply.results().size() - 2)
                : last;
    }

    @Override
    public void close() {
        connections.values().forEach(CompoundConnections::close);
    }
}
