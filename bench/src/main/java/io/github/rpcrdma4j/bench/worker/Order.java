package io.github.rpcrdma4j.bench.worker;

import io.github.rpcrdma4j.bench.stack.Exchange.Setting;
import io.github.rpcrdma4j.bench.stack.Stack;
import io.github.rpcrdma4j.bench.stack.Work;
import java.io.Serializable;

/** What a worker process is told to do, one order after the other. */
public sealed interface Order extends Serializable {
    /** Serve on a free port, until the process ends. Answered with the port. */
    record Serve(Stack stack, Setting setting) implements Order {}

    /** Open connections that are used together. Answered with a number for them. */
    record Connect(Stack stack, Setting setting, int port, int connections) implements Order {}

    /** Close connections. */
    record Disconnect(int session) implements Order {}

    /**
     * Work for some time. With several connections no more calls are in flight than there are
     * connections, and each call takes the next connection.
     */
    record Run(int session, Work work, int outstanding, long nanos) implements Order {}

    /** Connect, make one call and disconnect, again and again for some time. */
    record SetUp(Stack stack, Setting setting, int port, long nanos) implements Order {}

    /** Find the files of a directory by their names, for some time; NFS only. */
    record LookUp(int session, int entries, long nanos) implements Order {}

    /** List a directory, again and again for some time; NFS only. */
    record List(int session, int entries, long nanos) implements Order {}

    /** Tell what the process has used so far. */
    record Tell() implements Order {}
}
