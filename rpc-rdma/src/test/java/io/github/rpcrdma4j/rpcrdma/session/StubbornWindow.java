package io.github.rpcrdma4j.rpcrdma.session;

import io.github.rpcrdma4j.verbs.MemoryWindow;

/** A window that cannot be invalidated. */
record StubbornWindow(MemoryWindow window) implements MemoryWindow {
    @Override
    public int handle() {
        return window.handle();
    }

    @Override
    public long address() {
        return window.address();
    }

    @Override
    public long length() {
        return window.length();
    }

    @Override
    public boolean isValid() {
        return window.isValid();
    }

    @Override
    public void invalidate() {
        throw new IllegalStateException("the adapter does not answer");
    }
}
