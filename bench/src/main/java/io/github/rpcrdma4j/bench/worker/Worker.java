package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.CallLoops;
import io.github.rpcrdma4j.bench.stack.DirectoryCalls;
import io.github.rpcrdma4j.bench.stack.Exchange;
import io.github.rpcrdma4j.bench.stack.Meter;
import io.github.rpcrdma4j.bench.stack.Session;
import io.github.rpcrdma4j.bench.stack.SlotMemory;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The main class of a process for one side of a stack. The process ends when the connection of its
 * orders closes.
 *
 * <p>Tests: {@code PairTest}.
 */
public final class Worker {
    private final Path directory;
    private final List<Exchange.Service> services = new ArrayList<>();
    private final Map<Integer, List<Session>> sessions = new HashMap<>();
    private final SlotMemory memory = new SlotMemory();
    private final Map<Integer, Meter> meters = new HashMap<>();
    private int numbers;

    private Worker(Path directory) {
        this.directory = directory;
    }

    /**
     * Runs a worker. The arguments are a directory for files, and the loopback port of the process
     * that gives the orders.
     */
    public static void main(String[] args) throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[1]));
        socket.setTcpNoDelay(true);
        var answers = new ObjectOutputStream(socket.getOutputStream());
        answers.flush();
        var orders = new ObjectInputStream(socket.getInputStream());
        var worker = new Worker(Path.of(args[0]));
        try {
            while (true) {
                answers.writeObject(worker.answer((Order) orders.readObject()));
                answers.flush();
                answers.reset();
            }
        } catch (EOFException | SocketException _) {
            // The connection closed. Exit, because threads of libraries would keep the process
            // alive.
            System.exit(0);
        } catch (ClassNotFoundException | IOException broken) {
            broken.printStackTrace();
            System.exit(1);
        }
    }

    private Answer answer(Order order) {
        try {
            return carryOut(order);
        } catch (Exception failure) {
            failure.printStackTrace();
            return new Answer.Failed(failure.toString());
        }
    }

    private Answer carryOut(Order order) throws Exception {
        return switch (order) {
            case Order.Serve(var stack, var setting) -> {
                var service = stack.exchange().serve(setting, directory);
                services.add(service);
                yield new Answer.Number(service.port());
            }
            case Order.Connect(var stack, var setting, var port, var connections) -> {
                var opened = new ArrayList<Session>();
                for (int i = 0; i < connections; i++) {
                    opened.add(stack.exchange().connect(port, setting, directory));
                }
                sessions.put(++numbers, opened);
                yield new Answer.Number(numbers);
            }
            case Order.Disconnect(var session) -> {
                for (var each : sessions.remove(session)) {
                    each.close();
                }
                yield new Answer.Done();
            }
            case Order.Run(var session, var work, var outstanding, var nanos) -> {
                var meter = meter(outstanding, nanos);
                run(sessions.get(session), work, meter);
                yield new Answer.Measured(meter.round());
            }
            case Order.SetUp setUp -> setUp(setUp);
            case Order.LookUp(var session, var entries, var nanos) ->
                    measured(nanos, directoryCalls(session).lookups(entries));
            case Order.List(var session, var entries, var nanos) ->
                    measured(nanos, directoryCalls(session).listing(entries));
            case Order.ReportUsage() -> new Answer.Used(Usage.now());
        };
    }

    private void run(List<Session> connections, Work work, Meter meter) throws Exception {
        if (connections.size() == 1) {
            connections.getFirst().run(work, meter, memory);
        } else {
            CallLoops.run(meter, slot -> inTurn(connections, slot, meter.slots(), work));
        }
    }

    /** Returns a call that uses the next connection of the slot's share each time. */
    private Session.Call inTurn(List<Session> connections, int slot, int slots, Work work) {
        var calls = new ArrayList<Session.Call>();
        var payload = memory.of(slot, work.length());
        for (int i = slot; i < connections.size(); i += slots) {
            calls.add(connections.get(i).call(work, payload));
        }
        var next = new int[1];
        return () -> calls.get(next[0]++ % calls.size()).make();
    }

    private Answer setUp(Order.SetUp order) throws Exception {
        var exchange = order.stack().exchange();
        return measured(
                order.nanos(),
                () -> {
                    try (var session = exchange.connect(order.port(), order.setting(), directory)) {
                        session.call(Work.NULL, MemorySegment.NULL).make();
                    }
                });
    }

    private DirectoryCalls directoryCalls(int session) {
        return (DirectoryCalls) sessions.get(session).getFirst();
    }

    private Meter meter(int outstanding, long nanos) {
        return meters.computeIfAbsent(outstanding, Meter::new).of(nanos);
    }

    private Answer measured(long nanos, Session.Call call) throws Exception {
        var meter = meter(1, nanos);
        CallLoops.run(meter, _ -> call);
        return new Answer.Measured(meter.round());
    }
}
