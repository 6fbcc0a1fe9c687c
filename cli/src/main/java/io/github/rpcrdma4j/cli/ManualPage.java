package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.cli.terminal.Section.Heading;
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
 *
 * <p>Tests: {@code CommandPagesTest}.
 */
final class ManualPage {
    private static final String SECTION = "1";

    private final CommandLine command;
    private final CommandSpec spec;
    private final Help help;
    private final ManualText text = new ManualText();

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
        text.line(
                ".TH \"%s\" %s \"\" \"%s\"", name(spec).toUpperCase(Locale.ROOT), SECTION, version);
        text.section("NAME");
        text.line("%s \\- %s", ManualText.escaped(name(spec)), ManualText.escaped(firstSentence()));
        text.section("SYNOPSIS");
        synopsis();
        text.section("DESCRIPTION");
        text.paragraph(spec.usageMessage().description());
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
        text.line(".B %s", ManualText.escaped(spec.qualifiedName()));
        // What follows the name of the command in the first line of its help page.
        var usage = help.synopsis(0).strip();
        text.line("%s", ManualText.escaped(usage.substring(spec.qualifiedName().length()).strip()));
    }

    private void arguments() {
        var visible = spec.positionalParameters().stream().filter(each -> !each.hidden()).toList();
        if (visible.isEmpty()) {
            return;
        }
        text.section("ARGUMENTS");
        for (var argument : visible) {
            text.line(".TP");
            text.line("\\fI%s\\fR", ManualText.escaped(label(argument)));
            text.paragraph(argument.description());
        }
    }

    private void options(Heading heading) {
        var options = HelpPage.options(spec, heading);
        if (options.isEmpty()) {
            return;
        }
        text.section(heading == Heading.OPTIONS ? "OPTIONS" : "OPTIONS: " + heading);
        for (var option : options) {
            text.line(".TP");
            text.line(
                    "%s%s",
                    Stream.of(option.names())
                            .map(name -> "\\fB" + ManualText.escaped(name) + "\\fR")
                            .collect(Collectors.joining(", ")),
                    parameter(option));
            text.paragraph(option.description());
        }
    }

    /** Returns the parameter of an option with what separates it from the option's name. */
    private String parameter(OptionSpec option) {
        var label = label(option);
        return label.isEmpty()
                ? ""
                : ManualText.escaped(label.substring(0, 1))
                        + "\\fI"
                        + ManualText.escaped(label.substring(1))
                        + "\\fR";
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
        text.section("COMMANDS");
        for (var each : command.getSubcommands().values()) {
            text.line(".TP");
            text.line("\\fB%s\\fR(%s)", ManualText.escaped(name(each.getCommandSpec())), SECTION);
            text.paragraph(each.getCommandSpec().usageMessage().description());
        }
    }

    private void footer() {
        var lines =
                Stream.of(spec.usageMessage().footer()).filter(each -> !each.isBlank()).toList();
        if (lines.isEmpty()) {
            return;
        }
        text.section("NOTES");
        for (var each : lines) {
            text.paragraph(each);
            text.line(".PP");
        }
    }

    private void exitStatus() {
        text.section("EXIT STATUS");
        text.paragraph(
                "0 after success, 1 after a failure, which one line explains, 2 after wrong usage,"
                        + " and 141 if the reader of the output is gone. A server that a signal ends"
                        + " has 128 and the number of the signal.");
        if (spec == spec.root() || hasConfigFile()) {
            text.line(".PP");
            text.paragraph(
                    "A config file with mistakes ends serve with 2, so that a supervisor does not"
                            + " start it again. If only what the file names is wrong, such as a"
                            + " missing directory, serve ends with 1. With --check it ends with 1 in"
                            + " both cases.");
        }
    }

    private boolean hasConfigFile() {
        return spec.findOption("--check") != null;
    }

    private void seeAlso() {
        text.section("SEE ALSO");
        var root = spec.root().commandLine();
        var pages =
                Stream.concat(Stream.of(root), root.getSubcommands().values().stream())
                        .map(CommandLine::getCommandSpec)
                        .filter(other -> other != spec)
                        .map(
                                other ->
                                        "\\fB%s\\fR(%s)"
                                                .formatted(
                                                        ManualText.escaped(name(other)), SECTION))
                        .collect(Collectors.joining(",\n"));
        boolean concernsFile = hasConfigFile() || spec == root.getCommandSpec();
        text.line("%s%s", pages, concernsFile ? ",\n\\fB" + ConfigPage.NAME + "\\fR(5)" : "");
    }
}
