package io.github.rpcrdma4j.cli.service;

import io.github.rpcrdma4j.linux.Scratch;
import io.github.rpcrdma4j.linux.Signals;
import io.github.rpcrdma4j.linux.SystemCalls;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;

/**
 * The signal SIGHUP, by which operators have servers read their files again. Without a handler it
 * ends the process.
 */
final class ReloadSignal {
    private static final String NAME = "HUP";

    private ReloadSignal() {}

    /**
     * Runs something, in a thread of its own, each time the process gets the signal. That is so
     * also after nohup, which has it ignored.
     *
     * @return whether this is possible here
     */
    static boolean onSignal(Runnable action) {
        // The classes are those of the JDK for this, and javac warns of each use of them.
        try {
            var signal = Class.forName("sun.misc.Signal");
            var handler = Class.forName("sun.misc.SignalHandler");
            InvocationHandler handling =
                    (proxy, method, arguments) ->
                            switch (method.getName()) {
                                case "handle" -> {
                                    action.run();
                                    yield null;
                                }
                                case "equals" -> proxy == arguments[0];
                                case "hashCode" -> System.identityHashCode(proxy);
                                default -> "the handler of SIGHUP";
                            };
            var proxy =
                    Proxy.newProxyInstance(
                            ReloadSignal.class.getClassLoader(),
                            new Class<?>[] {handler},
                            handling);
            var hangUp = signal.getConstructor(String.class).newInstance(NAME);
            var handle = signal.getMethod("handle", signal, handler);
            var ignoring = handler.getField("SIG_IGN").get(null);
            // Java handles no signal that the process was started to ignore.
            return handle.invoke(null, hangUp, proxy) != ignoring
                    || isHeard() && handle.invoke(null, hangUp, proxy) != ignoring;
        } catch (ReflectiveOperationException | IllegalArgumentException _) {
            return false;
        }
    }

    /** Lets the signal have its default effect, and returns whether that was possible. */
    private static boolean isHeard() {
        return SystemCalls.missing().isEmpty()
                && Signals.toDefault(new Scratch(), Signals.HANG_UP) == 0;
    }
}
