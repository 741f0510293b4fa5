@echo off
rem Starts perflow on the Java runtime beside it where there is one, else on a JDK 25 or newer.
rem   PERFLOW_JAVA_HOME   the JDK to use        (else JAVA_HOME, PATH)
rem   PERFLOW_OPTS        more flags for its JVM, for instance -Xmx8g
setlocal
for %%i in ("%~dp0..") do set "home=%%~fi"
set "java=java.exe"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
if exist "%home%\runtime\bin\java.exe" set "java=%home%\runtime\bin\java.exe"
if defined PERFLOW_JAVA_HOME set "java=%PERFLOW_JAVA_HOME%\bin\java.exe"
"%java%" "@%home%\lib\jvm.args" "-Dperflow.home=%home%" %PERFLOW_OPTS% -cp "%home%\lib\*" io.perflow.cli.Main %*
exit /b %errorlevel%
