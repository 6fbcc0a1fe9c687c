package io.github.rpcrdma4j.verbs;

import java.util.Optional;
import java.util.ServiceLoader;

/** Holds the provider that a process shares, from the first time that it is asked for. */
final class SharedProvider {
    static final Optional<RdmaProvider> PROVIDER =
            ServiceLoader.load(RdmaProvider.class, RdmaProvider.class.getClassLoader()).findFirst();

    private SharedProvider() {}
}
