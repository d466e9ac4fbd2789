# SPDX-License-Identifier: Apache-2.0
# Package file for PETSc's configure, for config/BuildSystem/config/packages: adds --download-sptrsv=TARBALL, which
# builds the plugin after PETSc, with PETSc's compilers and Kokkos. README.md in this folder has the commands.
import os
import shlex
import shutil

import config.package


class Configure(config.package.CMakePackage):
  def __init__(self, framework):
    config.package.CMakePackage.__init__(self, framework)
    self.version         = '0.2.0'
    self.download        = ['sptrsv-'+self.version+'.tar.gz']
    self.functions       = ['SpTRSVRegister']
    self.includes        = ['sptrsv_petsc.h']
    self.liblist         = [['libsptrsv_petsc.a']]
    self.buildLanguages  = ['Cxx']
    self.minCmakeVersion = (3,22,0)
    self.precisions      = ['double']
    self.linkedbypetsc   = 0
    self.builtafterpetsc = 1
    self.noMPIUni        = 1
    self.skippackagewithoptions = 1
    self.providesDocs    = 1
    self.docsDirs        = ['plugin/petsc']
    return

  def setupDependencies(self, framework):
    config.package.CMakePackage.setupDependencies(self, framework)
    self.kokkos        = framework.require('config.packages.kokkos',self)
    self.kokkoskernels = framework.require('config.packages.kokkos-kernels',self)
    self.cuda          = framework.require('config.packages.CUDA',self)
    self.deps          = [self.kokkos,self.kokkoskernels]
    self.odeps         = [self.cuda]
    return

  def installedPetsc(self):
    '''Returns the PETSC_DIR and PETSC_ARCH of the PETSc over which the plugin is built'''
    if self.argDB['prefix'] and not 'package-prefix-hash' in self.argDB:
      return os.path.abspath(os.path.expanduser(self.argDB['prefix'])), ''
    return self.petscdir.dir, self.arch

  def formCMakeConfigureArgs(self):
    # --debug-find, which PETSc adds, writes megabytes
    args = self.rmArgs(config.package.CMakePackage.formCMakeConfigureArgs(self),['--debug-find'])
    petscdir, petscarch = self.installedPetsc()
    args.append('-DPETSC_DIR='+petscdir)
    args.append('-DPETSC_ARCH='+petscarch)
    args.append('-DKokkos_ROOT='+self.kokkos.directory)
    args.append('-DKokkosKernels_ROOT='+self.kokkoskernels.directory)
    args.append('-DSPTRSV_ENABLE_PLUGINS_ONLY=ON')
    args.append('-DSPTRSV_ENABLE_TESTS=OFF')
    args.append('-DSPTRSV_ENABLE_EXAMPLES=OFF')
    args.append('-DBUILD_SHARED_LIBS=OFF') # the plugin is one shared library
    return args

  def Install(self):
    if not self.checkSharedLibrariesEnabled():
      raise RuntimeError('sptrsv is a plugin, which PETSc loads: it requires --with-shared-libraries')
    if not self.cmake.found:
      raise RuntimeError('CMake not found, needed to build sptrsv. Rerun configure with --download-cmake.')
    if not shutil.which('pkg-config'):
      raise RuntimeError('pkg-config not found, by which sptrsv finds PETSc. Install it and rerun configure.')

    args = self.formCMakeConfigureArgs()
    if self.argDB['download-sptrsv-cmake-arguments']:
      args.append(self.argDB['download-sptrsv-cmake-arguments'])
    args     = ' '.join(args)
    conffile = os.path.join(self.packageDir,self.package+'.petscconf')
    with open(conffile,'w') as fd:
      fd.write(args)

    # PETSc loads each library as libpetsc<name>
    library = 'libsptrsv_petsc.'+self.setCompilers.sharedLibraryExt
    link    = 'libpetscsptrsv.'+self.setCompilers.sharedLibraryExt
    folder  = os.path.join(self.packageDir,'petsc-build')
    if self.installNeeded(conffile):
      shutil.rmtree(folder,ignore_errors=True)
      self.postInstall(conffile)
    os.makedirs(folder,exist_ok=True)
    self.addPost(folder,[self.cmake.cmake+' .. '+args,
                         self.make.make_jnp+' '+self.makerulename,
                         '${OMAKE} install',
                         'cd '+shlex.quote(os.path.join(self.installDir,'lib'))+' && ln -sf '+library+' '+link])
    petscdir, petscarch = self.installedPetsc()
    self.addMakeCheck(self.packageDir,'${OMAKE} -f plugin/petsc/upstream/check.mk check PETSC_DIR='+
                      shlex.quote(petscdir)+' PETSC_ARCH='+shlex.quote(petscarch))
    return self.installDir
