import java.io.IOException;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Gives the classes of a jar a newer class file version, and the stack maps that it requires. The code stays as it is. An AOT
 * cache takes no class of a version before Java 6, which has no stack maps (JVMS 4.10.1); picocli is compiled for Java 5.
 */
class NewerClasses {
    private static final int JAVA_8 = 52;

    public static void main(String[] args) throws IOException {
        var jar = Path.of(args[0]);
        var changed = Files.createTempFile(jar.toAbsolutePath().getParent(), "newer", ".jar");
        try (var loader = new URLClassLoader(new URL[] {jar.toUri().toURL()});
                var from = new JarFile(jar.toFile());
                var to = new ZipOutputStream(Files.newOutputStream(changed))) {
            var format =
                    ClassFile.of(
                            ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
                            ClassFile.ClassHierarchyResolverOption.of(
                                    ClassHierarchyResolver.ofResourceParsing(loader)
                                            .orElse(ClassHierarchyResolver.defaultResolver())));
            for (var entry : from.stream().toList()) {
                byte[] bytes;
                try (var in = from.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                var copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                to.putNextEntry(copy);
                to.write(entry.getName().endsWith(".class") ? newer(format, bytes) : bytes);
                to.closeEntry();
            }
        }
        Files.move(changed, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    private static byte[] newer(ClassFile format, byte[] bytes) {
        var model = format.parse(bytes);
        if (model.majorVersion() >= JAVA_8) {
            return bytes;
        }
        // Code gets stack maps only if it goes through a transformation.
        var methods = MethodTransform.transformingCode((code, element) -> code.with(element));
        ClassTransform change =
                (type, element) -> {
                    switch ((ClassElement) element) {
                        case ClassFileVersion _ -> type.with(ClassFileVersion.of(JAVA_8, 0));
                        case MethodModel method -> type.transformMethod(method, methods);
                        default -> type.with(element);
                    }
                };
        return format.transformClass(model, change);
    }
}
