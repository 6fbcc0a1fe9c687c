package io.github.rpcrdma4j.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.OptionSpec;

/** What a shell may put behind an option. */
final class OptionValues {
    private static final List<String> FILES = List.of("FILE", "SOCKET");

    private OptionValues() {}

    /** Returns the words that are possible; empty if these are not words of a list. */
    static List<String> of(OptionSpec option) {
        if (option.paramLabel().contains("|") && !option.paramLabel().contains("[")) {
            return List.of(option.paramLabel().split("\\|"));
        }
        var candidates = option.completionCandidates();
        return candidates == null
                ? List.of()
                : StreamSupport.stream(candidates.spliterator(), false)
                        .map(each -> each.toLowerCase(Locale.ROOT).replace('_', '-'))
                        .toList();
    }

    /** Returns whether the value is a path of this machine. */
    static boolean isPath(OptionSpec option) {
        return FILES.contains(option.paramLabel());
    }
}
