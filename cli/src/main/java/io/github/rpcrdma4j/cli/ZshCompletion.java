package io.github.rpcrdma4j.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The completion of a command and its subcommands for zsh, as a function for its {@code fpath}. */
final class ZshCompletion {
    private ZshCompletion() {}

    /** Returns the completion of a command that has subcommands. */
    static String of(CommandLine root) {
        var name = root.getCommandName();
        var lines = new ArrayList<String>();
        lines.add("#compdef " + name);
        lines.add("local context state line");
        lines.add("local -a commands");
        lines.add("commands=(");
        root.getSubcommands()
                .forEach(
                        (word, command) ->
                                lines.add(
                                        "  "
                                                + quoted(
                                                        word
                                                                + ":"
                                                                + first(
                                                                        command.getCommandSpec()
                                                                                .usageMessage()
                                                                                .description()))));
        lines.add(")");
        lines.add("_arguments -C \\");
        options(root.getCommandSpec()).forEach(each -> lines.add("  " + each + " \\"));
        lines.add("  '1:command:->command' '*::argument:->argument'");
        lines.add("case $state in");
        lines.add("  command) _describe command commands ;;");
        lines.add("  argument)");
        lines.add("    case $words[1] in");
        root.getSubcommands()
                .forEach(
                        (word, command) ->
                                lines.addAll(subcommand(word, command.getCommandSpec())));
        lines.add("    esac ;;");
        lines.add("esac");
        return String.join("\n", lines) + "\n";
    }

    private static List<String> subcommand(String word, CommandSpec spec) {
        var lines = new ArrayList<String>();
        lines.add("      %s)".formatted(word));
        lines.add("        _arguments -s \\");
        options(spec).forEach(each -> lines.add("          " + each + " \\"));
        lines.add(
                "          '*:argument:%s' ;;"
                        .formatted(word.equals("help") ? "(($commands))" : "_files"));
        return lines;
    }

    private static List<String> options(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.hidden())
                .flatMap(option -> Stream.of(option.names()).map(name -> option(option, name)))
                .toList();
    }

    /** Returns a name of an option with its meaning, and with what its parameter may be. */
    private static String option(OptionSpec option, String name) {
        var meaning =
                "[" + first(option.description()).replace("[", "\\[").replace("]", "\\]") + "]";
        if (option.arity().max() == 0) {
            return quoted(name + meaning);
        }
        var separated = name.startsWith("--") ? name + "=" : name;
        return quoted(separated + meaning + ":" + label(option) + ":" + values(option));
    }

    private static String label(OptionSpec option) {
        return option.paramLabel().replace(":", "\\:");
    }

    private static String values(OptionSpec option) {
        var words = OptionValues.of(option);
        if (!words.isEmpty()) {
            return "(" + String.join(" ", words) + ")";
        }
        return OptionValues.isPath(option) ? "_files" : " ";
    }

    private static String first(String[] description) {
        var all = Stream.of(description).collect(Collectors.joining(" ")).replace("%%", "%");
        int end = all.indexOf(". ");
        return (end < 0 ? all : all.substring(0, end)).replace(":", "\\:").replaceAll("\\.$", "");
    }

    private static String quoted(String words) {
        return "'" + words.replace("'", "'\\''") + "'";
    }
}
