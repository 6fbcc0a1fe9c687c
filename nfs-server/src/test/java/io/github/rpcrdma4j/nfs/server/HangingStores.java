package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.KernelLocks;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Opens the best stores. In that of one export, calls of some names block while it hangs. All other
 * calls pass, to the real store.
 */
final class HangingStores implements StoreChooser {
    private final BestStores stores = new BestStores();
    private final String export;
    private final Set<String> calls;
    private final Semaphore blocked = new Semaphore(0);
    private final AtomicReference<Next> next = new AtomicReference<>();
    private volatile CountDownLatch mayEnd = new CountDownLatch(0);

    /**
     * @param export its name
     * @param calls those that block, such as {@code KernelLocks.set}
     */
    HangingStores(String export, Set<String> calls) {
        this.export = export;
        this.calls = calls;
    }

    void hang() {
        mayEnd = new CountDownLatch(1);
    }

    /**
     * The failure of a call.
     *
     * @param call any of them if it is empty
     */
    private record Next(String call, Throwable error) {}

    /** Makes the next of the calls fail. */
    void fail(Throwable error) {
        fail("", error);
    }

    /** Makes the next call of a name fail, which is one of the calls. */
    void fail(String call, Throwable error) {
        next.set(new Next(call, error));
    }

    void goOn() {
        mayEnd.countDown();
    }

    /** Lets the calls that are blocked go on; later ones block. */
    void step() {
        var end = mayEnd;
        hang();
        end.countDown();
    }

    /** Waits until one more call is blocked. */
    void awaitBlocked() throws InterruptedException {
        blocked.acquire();
    }

    /** Returns how many calls were blocked that no {@link #awaitBlocked} has waited for. */
    int blocked() {
        return blocked.availablePermits();
    }

    @Override
    public FileStore open(Export of, long fileSystem, WriteVerifier verifier) throws IOException {
        var store = stores.open(of, fileSystem, verifier);
        return of.name().equals(export) ? wrap(FileStore.class, store) : store;
    }

    /** Returns an object that passes calls on, and wraps the nodes and locks that they return. */
    private <T> T wrap(Class<T> type, T real) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(), new Class<?>[] {type}, new Wrapped(type, real)));
    }

    private final class Wrapped implements InvocationHandler {
        private final Class<?> type;
        private final Object real;

        Wrapped(Class<?> type, Object real) {
            this.type = type;
            this.real = real;
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            block(type.getSimpleName() + "." + method.getName());
            try {
                return switch (method.invoke(real, unwrapped(arguments))) {
                    case Node node -> wrap(Node.class, node);
                    case KernelLocks locks -> wrap(KernelLocks.class, locks);
                    case null -> null;
                    case Object other -> other;
                };
            } catch (InvocationTargetException failed) {
                throw failed.getCause();
            }
        }

        /** A real store takes no other nodes than its own. */
        private static Object[] unwrapped(Object[] arguments) {
            return arguments == null
                    ? null
                    : Arrays.stream(arguments)
                            .map(
                                    each ->
                                            each instanceof Node.Place place
                                                    ? new Node.Place(
                                                            real(place.file()), place.offset())
                                                    : each)
                            .toArray();
        }

        private static Node real(Node node) {
            return (Node) ((Wrapped) Proxy.getInvocationHandler(node)).real;
        }
    }

    private void block(String call) throws Throwable {
        var end = mayEnd;
        if (calls.contains(call) && end.getCount() > 0) {
            blocked.release();
            end.await();
        }
        var failing = next.get();
        if (failing != null
                && calls.contains(call)
                && (failing.call.isEmpty() || failing.call.equals(call))
                && next.compareAndSet(failing, null)) {
            throw failing.error;
        }
    }
}
