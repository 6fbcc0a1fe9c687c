package io.github.rpcrdma4j.cli.hostile.v4;

import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import io.github.rpcrdma4j.cli.hostile.TriedLie;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A lie of a server of version 4. It is honest in everything else.
 *
 * @param word its name
 * @param lying makes the server of a trial
 * @param kind how far its commands can get
 * @param first the commands that meet it; a build tries the first of them
 * @param options of the commands
 */
record CompoundLie(
        String word,
        Supplier<Lying> lying,
        Kind kind,
        List<TrialCommand> first,
        List<String> options)
        implements TriedLie {
    /** How far commands can get with a server. */
    enum Kind {
        /** Commands succeed or fail, but what they call done is done. */
        LIES,
        /** An honest server may do this: commands succeed. */
        HARMLESS,
        /** Nobody can tell it from the truth: what a command brings may be wrong. */
        BELIEVED,
        /** As the one before, and it may be an honest server with a large tree. */
        LARGE
    }

    private static final List<String> VERSION = List.of("--vers", "4.2");

    static CompoundLie of(String word, Supplier<Lying> lying, TrialCommand... first) {
        return new CompoundLie(word, lying, Kind.LIES, List.of(first), VERSION);
    }

    static CompoundLie harmless(String word, Supplier<Lying> lying, TrialCommand... first) {
        return new CompoundLie(word, lying, Kind.HARMLESS, List.of(first), VERSION);
    }

    static CompoundLie believed(String word, Supplier<Lying> lying, TrialCommand... first) {
        return new CompoundLie(word, lying, Kind.BELIEVED, List.of(first), VERSION);
    }

    static CompoundLie large(String word, Supplier<Lying> lying, TrialCommand... first) {
        return new CompoundLie(word, lying, Kind.LARGE, List.of(first), VERSION);
    }

    /** Returns this lie under another name, for commands with other options. */
    CompoundLie with(String suffix, String... others) {
        return new CompoundLie(word + suffix, lying, kind, first, List.of(others));
    }

    /** Returns the words of a command line. */
    List<String> words(List<String> command) {
        var words = new ArrayList<>(command);
        words.addAll(1, options);
        return words;
    }

    /** Returns whether what a command brings must be right if it succeeds. */
    boolean isRight() {
        return kind == Kind.LIES || kind == Kind.HARMLESS;
    }

    @Override
    public boolean lasts(TrialCommand command) {
        return kind == Kind.LARGE;
    }

    @Override
    public String toString() {
        return word;
    }
}
