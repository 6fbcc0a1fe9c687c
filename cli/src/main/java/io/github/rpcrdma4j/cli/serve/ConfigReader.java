package io.github.rpcrdma4j.cli.serve;

import io.github.rpcrdma4j.cli.serve.ConfigFile.ExportText;
import io.github.rpcrdma4j.cli.serve.ConfigFile.Setting;
import io.github.rpcrdma4j.cli.serve.ConfigFile.Text;
import io.github.rpcrdma4j.cli.terminal.FailureText;
import io.github.rpcrdma4j.cli.terminal.Suggestions;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Reads the config file of a server. Finds all mistakes that can be found without its words.
 *
 * <p>Tests: {@code ConfigFileTest}.
 */
public final class ConfigReader {
    /** The table of exports. */
    private static final String EXPORT = "export";

    private static final String DIRECTORY = "directory";
    private static final String ALLOW = "allow";
    private static final String DELEGATIONS = "delegations";
    private static final Set<String> OF_EXPORT =
            new TreeSet<>(Set.of(DIRECTORY, ALLOW, DELEGATIONS));

    /** The options that are of an export, or say something about one run. */
    private static final Set<String> NO_SETTINGS =
            Set.of("config", "check", "help", "version", "debug", ALLOW, DELEGATIONS, "read-only");

    /** What the parser says of a key that is there already. */
    private static final String TWICE = " previously defined";

    private final Path file;
    private final ConfigMistakes mistakes;

    /** The lines of the file. */
    private List<String> lines = List.of();

    /** By their names without dashes. */
    private final Map<String, OptionSpec> options;

    private ConfigReader(Path file, CommandSpec serve, ConfigMistakes mistakes) {
        this.file = file;
        this.mistakes = mistakes;
        this.options = settings(serve);
    }

    /**
     * Returns the options that are settings of a server, by their names without dashes.
     *
     * @param serve the command
     */
    public static Map<String, OptionSpec> settings(CommandSpec serve) {
        var settings = new TreeMap<String, OptionSpec>();
        for (var each : serve.options()) {
            var name = each.longestName().replaceFirst("^--", "");
            if (!each.hidden() && !NO_SETTINGS.contains(name)) {
                settings.put(name, each);
            }
        }
        return settings;
    }

    /**
     * Reads a file.
     *
     * @param serve the command, whose options are the settings
     * @param mistakes receives those of the text, of its keys and of its types, or that it cannot
     *     be read
     */
    static ConfigFile read(Path file, CommandSpec serve, ConfigMistakes mistakes) {
        return new ConfigReader(file, serve, mistakes).read();
    }

    private ConfigFile read() {
        var settings = new TreeMap<String, Setting>();
        var exports = new ArrayList<ExportText>();
        var text = text();
        if (text != null) {
            read(text, settings, exports);
        }
        exports.sort(Comparator.comparingInt(each -> each.name().line()));
        return new ConfigFile(file, settings, exports);
    }

    private void read(String text, Map<String, Setting> settings, List<ExportText> exports) {
        lines = text.lines().toList();
        var parsed = Toml.parse(text);
        errors(parsed.errors());
        for (var key : parsed.keySet()) {
            int line = line(parsed, key);
            var value = parsed.get(List.of(key));
            if (key.equals(EXPORT)) {
                exports(line, value, exports);
            } else if (options.containsKey(key)) {
                setting(line, key, value, settings);
            } else {
                mistakes.add(line, "there is no setting " + key + hint(key));
            }
        }
        if (!parsed.hasErrors() && !parsed.contains(EXPORT)) {
            mistakes.add(0, "there is no export: [export.\"/NAME\"] begins one");
        }
    }

    /** Adds what is no TOML. The keys of a table that is there twice are no further mistakes. */
    private void errors(List<TomlParseError> errors) {
        boolean isRepeated = false;
        for (var each : errors) {
            var words = each.getMessage();
            boolean isOfKey = OF_EXPORT.stream().anyMatch(key -> words.startsWith(key + TWICE));
            if (!isRepeated || !isOfKey) {
                mistakes.add(each.position().line(), words);
            }
            isRepeated = words.contains(TWICE);
        }
    }

    /** Returns the text; null if it cannot be read. */
    private String text() {
        try {
            return Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException _) {
            mistakes.add(0, "this is not UTF-8");
        } catch (NoSuchFileException _) {
            mistakes.add(0, "there is no such file");
        } catch (AccessDeniedException _) {
            mistakes.add(0, "permission denied");
        } catch (IOException failed) {
            mistakes.add(0, FailureText.oneLine(failed));
        }
        return null;
    }

    private static int line(TomlTable table, String key) {
        return line(table.inputPositionOf(List.of(key)));
    }

    private static int line(TomlPosition position) {
        return position == null ? 0 : position.line();
    }

    /** For the parser, an element begins with the end of the line before, and comments. */
    private int lineOfElement(TomlPosition position) {
        int line = line(position);
        int from = position.column() - 1;
        while (line < lines.size() && isBlank(lines.get(line - 1), from)) {
            line++;
            from = 0;
        }
        return line;
    }

    private static boolean isBlank(String line, int from) {
        var rest = line.substring(Math.min(from, line.length())).strip();
        return rest.isEmpty() || rest.startsWith("#");
    }

    private String hint(String key) {
        if (OF_EXPORT.contains(key)) {
            return " here: it belongs below an [export.\"/NAME\"]";
        }
        if (key.equals("read-only")) {
            return ": write ro in the rules of allow";
        }
        var known = new ArrayList<>(options.keySet());
        known.add(EXPORT);
        return suggestion(key, known);
    }

    private static String suggestion(String key, Collection<String> known) {
        var near = Suggestions.near(key, known);
        return near.isEmpty() ? ", but " + String.join(", ", known) : Suggestions.meant(near);
    }

    private void setting(int line, String key, Object value, Map<String, Setting> settings) {
        var type = options.get(key).typeInfo().getType();
        boolean isSwitch = options.get(key).arity().max() == 0;
        boolean isNumber = type == Integer.class || type == int.class;
        if (isSwitch) {
            if (value instanceof Boolean) {
                settings.put(key, new Setting(line, value));
            } else {
                mistakes.add(line, key + " is true or false, not " + shown(value));
            }
        } else if (isNumber) {
            if (value instanceof Long number && number == number.intValue()) {
                settings.put(key, new Setting(line, Long.toString(number)));
            } else {
                mistakes.add(line, key + " is a number, not " + shown(value));
            }
        } else if (options.get(key).isMultiValue()) {
            var texts = texts(line, key, value);
            if (!texts.isEmpty()) {
                settings.put(key, new Setting(line, texts));
            }
        } else if (value instanceof String text) {
            settings.put(key, new Setting(line, text));
        } else {
            mistakes.add(line, key + " is a text in quotes, not " + shown(value));
        }
    }

    /** Returns the arguments of an option that may be repeated; none if something is wrong. */
    private List<String> texts(int line, String key, Object value) {
        if (value instanceof String text) {
            return List.of(text);
        }
        var texts = new ArrayList<String>();
        if (value instanceof TomlArray array) {
            for (var each : array.toList()) {
                if (each instanceof String text) {
                    texts.add(text);
                }
            }
            if (!array.isEmpty() && texts.size() == array.size()) {
                return texts;
            }
        }
        mistakes.add(line, key + " is a text in quotes or a list of such, not " + shown(value));
        return List.of();
    }

    private void exports(int line, Object value, List<ExportText> exports) {
        if (!(value instanceof TomlTable tables)) {
            mistakes.add(line, "export is no setting: [export.\"/NAME\"] begins an export");
            return;
        }
        for (var name : tables.keySet()) {
            int at = line(tables, name);
            if (!isName(name)) {
                mistakes.add(
                        at,
                        "the name of an export is like [export.\"/NAME\"], in quotes and with a"
                                + " slash, not "
                                + name);
            } else if (tables.get(List.of(name)) instanceof TomlTable table) {
                export(new Text(at, name), table, exports);
            } else {
                mistakes.add(at, name + " is no table: [export.\"" + name + "\"] begins an export");
            }
        }
    }

    /** Clients find an export by its name, one component at a time. */
    static boolean isName(String name) {
        return name.matches("(/(?!\\.{1,2}(/|$))[^/\\x00]+)+");
    }

    private void export(Text name, TomlTable table, List<ExportText> exports) {
        for (var key : table.keySet()) {
            if (!OF_EXPORT.contains(key)) {
                mistakes.add(
                        line(table, key),
                        "an export has no "
                                + key
                                + (options.containsKey(key)
                                        ? ": it is a setting of the server, above the exports"
                                        : suggestion(key, OF_EXPORT)));
            }
        }
        var directory = text(table, DIRECTORY);
        if (!table.contains(List.of(DIRECTORY))) {
            mistakes.add(name.line(), "the export " + name.value() + " has no directory");
        } else if (directory != null && !directory.value().startsWith("/")) {
            mistakes.add(directory.line(), "directory begins with a slash: " + directory.value());
        } else if (directory != null) {
            exports.add(
                    new ExportText(
                            name, directory, allowed(name, table), text(table, DELEGATIONS)));
        }
    }

    /** Returns a text; null if there is none. */
    private Text text(TomlTable table, String key) {
        var value = table.get(List.of(key));
        if (value instanceof String text) {
            return new Text(line(table, key), text);
        }
        if (value != null) {
            mistakes.add(line(table, key), key + " is a text in quotes, not " + shown(value));
        }
        return null;
    }

    private List<Text> allowed(Text name, TomlTable table) {
        var value = table.get(List.of(ALLOW));
        if (value == null) {
            mistakes.add(
                    name.line(),
                    "the export "
                            + name.value()
                            + " does not say whom it is for: allow = [\"any\"] lets all hosts in");
            return List.of();
        }
        var rules = new ArrayList<Text>();
        if (!(value instanceof TomlArray array)) {
            mistakes.add(
                    line(table, ALLOW),
                    "allow is a list of texts, like [\"192.0.2.0/24\"], not " + shown(value));
            return rules;
        }
        for (int i = 0; i < array.size(); i++) {
            int line = lineOfElement(array.inputPositionOf(i));
            if (array.get(i) instanceof String text) {
                rules.add(new Text(line, text));
            } else {
                mistakes.add(line, "a rule is a text in quotes, not " + shown(array.get(i)));
            }
        }
        return rules;
    }

    private static String shown(Object value) {
        return switch (value) {
            case String text -> "the text \"" + text + "\"";
            case Boolean word -> word.toString();
            case Long number -> number.toString();
            case TomlArray _ -> "a list";
            case TomlTable _ -> "a table";
            default -> value.toString();
        };
    }
}
