package io.github.rpcrdma4j.verbs;

import java.util.Optional;
import java.util.ServiceLoader;

/** Holds the provider that a process shares, created at its first use. */
final class SharedProvider {
    static final Optional<RdmaProvider> PROVIDER =
            ServiceLoader.load(RdmaProvider.class, RdmaProvider.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(RdmaProvider::reachesEveryAddress)
                    .findFirst();

    private SharedProvider() {}
}
