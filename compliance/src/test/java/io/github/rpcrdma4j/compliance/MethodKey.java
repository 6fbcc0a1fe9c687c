package io.github.rpcrdma4j.compliance;

/** A method in byte code: the class with slashes, the name, and the descriptor. */
record MethodKey(String owner, String name, String descriptor) {
    MethodKey at(String className) {
        return new MethodKey(className, name, descriptor);
    }
}
