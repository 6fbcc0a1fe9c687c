package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.Section.Heading;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The manual page of a command, as text for the macros of {@code man(7)}. It says what the help
 * page of the command says.
 */
final class ManualPage {
    private static final String SECTION = "1";

    private final CommandLine command;
    private final CommandSpec spec;
    private final Help help;
    private final StringBuilder text = new StringBuilder();

    private ManualPage(CommandLine command) {
        this.command = command;
        this.spec = command.getCommandSpec();
        this.help = command.getHelp();
    }

    /** Returns the name of a command's page, as {@code man} takes it. */
    static String name(CommandSpec spec) {
        return spec.qualifiedName("-");
    }

    /** Returns the name of the file of a command's page. */
    static String file(CommandSpec spec) {
        return name(spec) + "." + SECTION;
    }

    /** Returns the page of a command. */
    static String of(CommandLine command) {
        return new ManualPage(command).page();
    }

    private String page() {
        var version = String.join(" ", spec.version());
        line(".TH \"%s\" %s \"\" \"%s\"", name(spec).toUpperCase(Locale.ROOT), SECTION, version);
        section("NAME");
        line("%s \\- %s", escaped(name(spec)), escaped(firstSentence()));
        section("SYNOPSIS");
        synopsis();
        section("DESCRIPTION");
        paragraph(spec.usageMessage().description());
        arguments();
        for (var heading : Heading.values()) {
            options(heading);
        }
        commands();
        footer();
        exitStatus();
        seeAlso();
        return text.toString();
    }

    /** Returns the first sentence of the description, without its end, as {@code whatis} shows. */
    private String firstSentence() {
        var all = String.join(" ", spec.usageMessage().description());
        int end = all.indexOf(". ");
        var first = end < 0 ? all : all.substring(0, end);
        return first.endsWith(".") ? first.substring(0, first.length() - 1) : first;
    }

    private void synopsis() {
        line(".B %s", escaped(spec.qualifiedName()));
        // What follows the name of the command in the first line of its help page.
        var usage = help.synopsis(0).strip();
        line("%s", escaped(usage.substring(spec.qualifiedName().length()).strip()));
    }

    private void arguments() {
        var visible = spec.positionalParameters().stream().filter(each -> !each.hidden()).toList();
        if (visible.isEmpty()) {
            return;
        }
        section("ARGUMENTS");
        for (var argument : visible) {
            line(".TP");
            line("\\fI%s\\fR", escaped(label(argument)));
            paragraph(argument.description());
        }
    }

    private void options(Heading heading) {
        var options = HelpPage.options(spec, heading);
        if (options.isEmpty()) {
            return;
        }
        section(heading == Heading.OPTIONS ? "OPTIONS" : "OPTIONS: " + heading);
        for (var option : options) {
            line(".TP");
            line(
                    "%s%s",
                    Stream.of(option.names())
                            .map(name -> "\\fB" + escaped(name) + "\\fR")
                            .collect(Collectors.joining(", ")),
                    parameter(option));
            paragraph(option.description());
        }
    }

    /** Returns the parameter of an option with what separates it from the option's name. */
    private String parameter(OptionSpec option) {
        var label = label(option);
        return label.isEmpty()
                ? ""
                : escaped(label.substring(0, 1)) + "\\fI" + escaped(label.substring(1)) + "\\fR";
    }

    private String label(ArgSpec argument) {
        return help.parameterLabelRenderer()
                .renderParameterLabel(argument, Help.Ansi.OFF, List.of())
                .toString();
    }

    private void commands() {
        if (command.getSubcommands().isEmpty()) {
            return;
        }
        section("COMMANDS");
        for (var each : command.getSubcommands().values()) {
            line(".TP");
            line("\\fB%s\\fR(%s)", escaped(name(each.getCommandSpec())), SECTION);
            paragraph(each.getCommandSpec().usageMessage().description());
        }
    }

    private void footer() {
        var lines =
                Stream.of(spec.usageMessage().footer()).filter(each -> !each.isBlank()).toList();
        if (lines.isEmpty()) {
            return;
        }
        section("NOTES");
        for (var each : lines) {
            paragraph(each);
            line(".PP");
        }
    }

    private void exitStatus() {
        section("EXIT STATUS");
        paragraph(
                "0 after success, 1 after a failure, which one line explains, 2 after wrong usage,"
                        + " and 141 if the reader of the output is gone. A server that a signal ends"
                        + " has 128 and the number of the signal.");
        if (spec == spec.root() || spec.findOption("--check") != null) {
            line(".PP");
            paragraph(
                    "A config file with mistakes ends serve with 2, so that a supervisor does not"
                            + " start it again. If only what the file names is wrong, such as a"
                            + " missing directory, serve ends with 1. With --check it ends with 1 in"
                            + " both cases.");
        }
    }

    private void seeAlso() {
        section("SEE ALSO");
        var root = spec.root().commandLine();
        var pages =
                Stream.concat(Stream.of(root), root.getSubcommands().values().stream())
                        .map(CommandLine::getCommandSpec)
                        .filter(other -> other != spec)
                        .map(other -> "\\fB%s\\fR(%s)".formatted(escaped(name(other)), SECTION))
                        .collect(Collectors.joining(",\n"));
        line("%s", pages);
    }

    private void section(String title) {
        line(".SH \"%s\"", title.toUpperCase(Locale.ROOT));
    }

    /**
     * Writes the lines of a description, which is filled except after a line that is no sentence.
     */
    private void paragraph(String... lines) {
        var visible = Arrays.stream(lines).filter(each -> !each.isBlank()).toList();
        for (int i = 0; i < visible.size(); i++) {
            line("%s", escaped(visible.get(i)));
            boolean isOpen = !visible.get(i).endsWith(".") && i + 1 < visible.size();
            if (isOpen && Character.isUpperCase(visible.get(i + 1).charAt(0))) {
                line(".br");
            }
        }
    }

    private void line(String format, Object... parts) {
        text.append(format.formatted(parts)).append('\n');
    }

    /** Returns text of a help page so that it means itself to troff. */
    private static String escaped(String words) {
        var plain = words.replace("%n", "\n").replace("%%", "%").strip();
        var safe = plain.replace("\\", "\\e").replace("-", "\\-");
        return safe.lines()
                .map(each -> each.startsWith(".") || each.startsWith("'") ? "\\&" + each : each)
                .collect(Collectors.joining("\n"));
    }
}
