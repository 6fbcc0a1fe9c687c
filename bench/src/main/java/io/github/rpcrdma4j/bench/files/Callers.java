package io.github.rpcrdma4j.bench.files;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The number of calling threads and users.
 *
 * @param threads the number of threads; each has one call outstanding
 * @param identities the number of users; the calls of a thread use each in turn
 */
record Callers(int threads, int identities) {
    private static final int MAX = 1000;

    Callers {
        if (threads < 1 || identities < 1 || threads > MAX || identities > MAX) {
            throw new IllegalArgumentException("from 1 to " + MAX + " threads and identities");
        }
    }

    @Override
    public String toString() {
        return threads + ":" + identities;
    }

    /** Parses THREADS:IDENTITIES. */
    static final class Converter implements ITypeConverter<Callers> {
        @Override
        public Callers convert(String text) {
            var parts = text.split(":", -1);
            try {
                if (parts.length == 2) {
                    return new Callers(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
                }
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException("'" + text + "': " + wrong.getMessage());
            }
            throw new TypeConversionException("'" + text + "' is not THREADS:IDENTITIES");
        }
    }
}
