package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What the config file of a server says, before its words are looked at: TOML, with the options of
 * {@code serve} as keys, and a table for each export. Nothing in it stands for something else, so
 * it can be compared with what is read from the file later.
 *
 * @param settings the options, by their names without dashes
 */
record ConfigFile(Path file, Map<String, Setting> settings, List<ExportText> exports) {
    /** What an error in the rules is called. */
    private static final String ALLOW = "allow";

    /**
     * An option of {@code serve}.
     *
     * @param line where it is
     * @param argument as on a command line; of an option without an argument, whether it is
     *     present; of one that may be repeated, the list of its arguments
     */
    record Setting(int line, Object argument) {}

    /** A text in the file. */
    record Text(int line, String value) {}

    /**
     * An export.
     *
     * @param name that of its table
     * @param allowed its rules
     * @param delegations null if nothing is said of them
     */
    record ExportText(Text name, Text directory, List<Text> allowed, Text delegations) {}

    /** Returns the arguments of {@code serve} that have the meaning of the settings. */
    List<String> arguments() {
        return settings.entrySet().stream()
                .flatMap(each -> arguments("--" + each.getKey(), each.getValue().argument))
                .toList();
    }

    private static Stream<String> arguments(String option, Object argument) {
        return switch (argument) {
            case Boolean isPresent -> isPresent ? Stream.of(option) : Stream.of();
            case List<?> several -> several.stream().map(each -> option + "=" + each);
            default -> Stream.of(option + "=" + argument);
        };
    }

    /** Returns where a setting is; 0 if it is not there. */
    int line(String setting) {
        var found = settings.get(setting);
        return found == null ? 0 : found.line;
    }

    /** Returns the exports, as far as nothing is wrong with them. */
    List<Export> exports(List<SecurityFlavor> flavors, ConfigMistakes mistakes) {
        var hosts = new RuleHosts();
        var made = new ArrayList<Export>();
        for (var each : exports) {
            mistakes.check(
                    each.directory.line,
                    () -> {
                        var root = ExportOptions.directory(each.directory.value);
                        var rules = rules(each, hosts, mistakes);
                        made.add(
                                new Export(
                                        each.name.value,
                                        root,
                                        rules,
                                        flavors,
                                        delegations(each, mistakes)));
                    });
        }
        return made;
    }

    private static List<ExportRule> rules(
            ExportText export, RuleHosts hosts, ConfigMistakes mistakes) {
        var parser = new ExportRuleParser(ALLOW, false, hosts);
        var known = new HashSet<Clients>();
        var rules = new ArrayList<ExportRule>();
        for (var each : export.allowed) {
            mistakes.check(
                    each.line,
                    () -> {
                        var rule = parser.rule(each.value);
                        if (!known.add(rule.clients())) {
                            throw new IllegalArgumentException(
                                    "there are two rules for "
                                            + ExportOptions.text(rule.clients()));
                        }
                        rules.add(rule);
                    });
        }
        return rules;
    }

    private static Delegations delegations(ExportText export, ConfigMistakes mistakes) {
        var wanted = export.delegations;
        if (wanted == null) {
            return Delegations.NONE;
        }
        for (var each : Delegations.values()) {
            if (word(each).equals(wanted.value)) {
                return each;
            }
        }
        mistakes.add(
                wanted.line,
                "delegations is none, leases or exclusive, not \"" + wanted.value + "\"");
        return Delegations.NONE;
    }

    private static String word(Delegations delegations) {
        return switch (delegations) {
            case NONE -> "none";
            case LEASES -> "leases";
            case EXCLUSIVE -> "exclusive";
        };
    }
}
