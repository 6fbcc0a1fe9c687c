package io.github.rpcrdma4j.nfs.server;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.served.BestStores;
import io.github.rpcrdma4j.nfs.server.served.StoreChooser;
import io.github.rpcrdma4j.nfs.store.FileStore;
import io.github.rpcrdma4j.nfs.store.Node;
import io.github.rpcrdma4j.nfs.store.WriteVerifier;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/** Opens the best stores, and counts the names that they list and the files that they open. */
final class CountedListings implements StoreChooser {
    private final BestStores stores = new BestStores();

    /** The names that were listed so far. */
    final AtomicLong names = new AtomicLong();

    /** The files that were opened by their ids so far. */
    final AtomicLong nodes = new AtomicLong();

    @Override
    public FileStore open(Export of, long fileSystem, WriteVerifier verifier) throws IOException {
        return counted(FileStore.class, stores.open(of, fileSystem, verifier));
    }

    /** Returns an object that passes calls on, and counts in the nodes that they return. */
    private <T> T counted(Class<T> type, T real) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (_, method, arguments) -> pass(real, method, arguments)));
    }

    private Object pass(Object real, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("node")) {
            nodes.incrementAndGet();
        }
        try {
            return method.invoke(real, sinks(arguments)) instanceof Object result
                    ? result instanceof Node node ? counted(Node.class, node) : result
                    : null;
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private Object[] sinks(Object[] arguments) {
        return arguments == null
                ? null
                : Arrays.stream(arguments)
                        .map(each -> each instanceof Node.EntrySink sink ? counting(sink) : each)
                        .toArray();
    }

    private Node.EntrySink counting(Node.EntrySink sink) {
        return (Node.EntrySink)
                Proxy.newProxyInstance(
                        Node.EntrySink.class.getClassLoader(),
                        new Class<?>[] {Node.EntrySink.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("add")) {
                                names.incrementAndGet();
                            }
                            return method.invoke(sink, arguments);
                        });
    }
}
