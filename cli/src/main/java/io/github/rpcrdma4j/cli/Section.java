package io.github.rpcrdma4j.cli;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The heading under which an option, or all options of a class, stand in the help of commands. */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.FIELD})
@interface Section {
    Heading value();

    /** In the order of a help. */
    enum Heading {
        /** What makes a command what it is. */
        OPTIONS("Options"),
        /** The identity of callers. */
        SECURITY("Security"),
        /** How the other side is reached. */
        CONNECTION("Connection"),
        EVERY_COMMAND("Every command");

        private final String words;

        Heading(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }
}
