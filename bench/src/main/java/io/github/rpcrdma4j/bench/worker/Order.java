package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.Serializable;

/** An order for a worker process, which carries out one order at a time. */
public sealed interface Order extends Serializable {
    /** Serve on a free port until the process ends. The answer is the port. */
    record Serve(Stack stack, Setting setting) implements Order {}

    /** Open the connections of a session. The answer is the number of the session. */
    record Connect(Stack stack, Setting setting, int port, int connections) implements Order {}

    /** Close connections. */
    record Disconnect(int session) implements Order {}

    /**
     * Make calls for {@code nanos} nanoseconds. With several connections each call takes the next
     * connection, and there are at most as many outstanding calls as connections.
     */
    record Run(int session, Work work, int outstanding, long nanos) implements Order {}

    /** Connect, make one call and disconnect, again and again for {@code nanos} nanoseconds. */
    record SetUp(Stack stack, Setting setting, int port, long nanos) implements Order {}

    /** Look up the files of a directory by name for {@code nanos} nanoseconds; NFS only. */
    record LookUp(int session, int entries, long nanos) implements Order {}

    /** List a directory again and again for {@code nanos} nanoseconds; NFS only. */
    record List(int session, int entries, long nanos) implements Order {}

    /** Report what the process has used so far. */
    record ReportUsage() implements Order {}
}
